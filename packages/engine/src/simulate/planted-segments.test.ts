/** Likewise for sales in several segments: each of these stores breaks one rule of borrowing. */
import { describe } from 'vitest';
import { type Planted, plantedContract, withCentre } from './planted.contract.ts';

const PLANTED: readonly Planted[] = [
  {
    rule: 'nobody is told that none is left while another segment has some (P13)',
    ...{ scenario: 'segments', withinSeeds: 60 },
    broken: ['none left is said when none is left', 'sold out is said when all is sold', 'a still reading is balanced'],
    parts: ({ gate, ...others }) => ({
      ...others,
      gate: {
        ...gate,
        async read(segment) {
          const view = await gate.read(segment);
          const isBlind = segment.segment > 0 && view?.terms.state === 'live';
          return isBlind ? { ...view, availableUnits: new Map([['main', 0]]) } : view;
        },
      },
    }),
  },
  {
    rule: 'the units of other segments can be had, to the last one',
    ...{ scenario: 'segments', withinSeeds: 60 },
    broken: ['no unit is stranded', 'every buyer gets an answer'],
    plant: withCentre((centre) => ({
      async issueReturn(request) {
        const isRecall = request.onwardTo !== undefined;
        return isRecall ? { kind: 'refused', reason: 'sale_settled' } : centre.issueReturn(request);
      },
    })),
  },
  {
    rule: 'what goes on is what has come back, once (P3)',
    ...{ scenario: 'segments', withinSeeds: 200 },
    broken: ['no more goes on than came back'],
    plant: withCentre((centre) => ({
      async finishReturn(moveId, units) {
        const onward = await centre.finishReturn(moveId, units);
        return onward && { ...onward, units: onward.units + 1 };
      },
    })),
  },
];

describe('the auditors find, of a sale in segments', { timeout: 240_000 }, () => plantedContract(PLANTED));
