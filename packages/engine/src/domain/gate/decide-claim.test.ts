import { describe, expect, test } from 'vitest';
import { type ClaimDecision, type ClaimMark, type ClaimSituation, decideClaim } from './decide-claim.ts';

const claim = { orderId: 'x', units: 2 };
const origin = { region: 'main', segment: 0, channel: 'web', epoch: 1, seq: 1 };
const mark = (changes: Partial<ClaimMark> = {}): ClaimMark => ({
  orderId: 'x',
  units: 2,
  origin,
  state: 'claimed',
  ...changes,
});

const winning: ClaimSituation = {
  ready: true,
  terms: { version: 1, state: 'live', startsAtMs: 100, endsAtMs: 200, limitUnits: 3 },
  availableUnits: 2,
  marks: [],
  marksBeside: [],
  nowMs: 150,
  deadlineMs: 150,
};

const decide = (changes: Partial<ClaimSituation>): ClaimDecision => decideClaim({ ...winning, ...changes }, claim);
const terms = (changes: Partial<ClaimSituation['terms']>): Partial<ClaimSituation> => ({
  terms: { ...winning.terms, ...changes },
});

/** What can be wrong, in the order of judgement; each is told before all that stand below it. */
const FAULTS: readonly (readonly [ClaimDecision['kind'], Partial<ClaimSituation>])[] = [
  ['late', { deadlineMs: 149 }],
  ['replay', { marks: [mark()] }],
  ['not_ready', { ready: false }],
  ['paused', terms({ state: 'paused' })],
  ['over', terms({ endsAtMs: 150 })],
  ['over_limit', { marks: [mark({ orderId: 'y' })] }],
  ['dry', { availableUnits: 0 }],
];

/** Together, as far as they speak of the same thing: terms and marks are merged. */
function together(faults: readonly (readonly [string, Partial<ClaimSituation>])[]): Partial<ClaimSituation> {
  const merged = Object.assign({}, ...faults.map(([, changes]) => changes)) as Partial<ClaimSituation>;
  return {
    ...merged,
    terms: Object.assign({}, winning.terms, ...faults.map(([, { terms: changed }]) => pickChanged(changed))),
    marks: faults.flatMap(([, { marks }]) => marks ?? []),
  };
}

function pickChanged(changed: ClaimSituation['terms'] | undefined): Partial<ClaimSituation['terms']> {
  const before: Record<string, unknown> = { ...winning.terms };
  return Object.fromEntries(Object.entries(changed ?? {}).filter(([name, value]) => before[name] !== value));
}

describe('the gate judges a claim', () => {
  test('and takes it when nothing speaks against it', () => {
    expect(decide({})).toEqual({ kind: 'take' });
  });

  test.each(FAULTS.map(([kind], at) => [kind, at] as const))(
    'and says %s before all that is judged later',
    (kind, at) => {
      expect(decide(together(FAULTS.slice(at)))).toMatchObject({ kind });
      expect(decide(together(FAULTS.slice(at, at + 1)))).toMatchObject({ kind });
    },
  );

  test.each([
    ['draft', 'not_ready'],
    ['live', 'take'],
    ['paused', 'paused'],
    ['closed', 'closed'],
    ['settled', 'closed'],
  ] as const)('of a sale that is %s as %s', (state, kind) => {
    expect(decide(terms({ state }))).toEqual({ kind });
  });

  test('at the edges of its window', () => {
    expect(decide({ nowMs: 99, deadlineMs: 500 })).toEqual({ kind: 'not_started', startsAtMs: 100 });
    expect(decide({ nowMs: 100, deadlineMs: 500 })).toEqual({ kind: 'take' });
    expect(decide({ nowMs: 199, deadlineMs: 500 })).toEqual({ kind: 'take' });
    expect(decide({ nowMs: 200, deadlineMs: 500 })).toEqual({ kind: 'over' });
  });

  test('until its deadline has passed', () => {
    expect(decide({ nowMs: 151, deadlineMs: 151 })).toEqual({ kind: 'take' });
    expect(decide({ nowMs: 152, deadlineMs: 151 })).toEqual({ kind: 'late' });
  });

  test.each([
    [null, { kind: 'not_ready' }],
    [0, { kind: 'dry' }],
    [1, { kind: 'not_enough_left', leftUnits: 1 }],
    [2, { kind: 'take' }],
    [10 ** 15, { kind: 'take' }],
  ] as const)('when its quota has %s', (availableUnits, decision) => {
    expect(decide({ availableUnits })).toEqual(decision);
  });

  test('by the units of the buyer, of whatever channel, that were not given back', () => {
    const other = mark({ orderId: 'y', units: 1, origin: { ...origin, channel: 'app' } });
    expect(decide({ marks: [other] })).toEqual({ kind: 'take' });
    expect(decide({ marks: [other, mark({ orderId: 'z', units: 1, state: 'settled' })] })).toEqual({
      kind: 'over_limit',
      liveOrderIds: ['y', 'z'],
    });
    expect(decide({ marks: [other, mark({ orderId: 'z', units: 3, state: 'ended' })] })).toEqual({ kind: 'take' });
  });

  test('and names an order once that is over the limit with two claims', () => {
    const twice = [mark({ orderId: 'y' }), mark({ orderId: 'y', origin: { ...origin, seq: 2 } })];
    expect(decide({ marks: twice })).toEqual({ kind: 'over_limit', liveOrderIds: ['y'] });
  });

  test.each(['claimed', 'settled', 'ended'] as const)('and replays its order that is %s', (state) => {
    expect(decide({ marks: [mark({ state })], availableUnits: 0 })).toEqual({ kind: 'replay', mark: mark({ state }) });
  });

  test('and tells other content from a replay', () => {
    expect(decide({ marks: [mark({ units: 1 })] })).toEqual({ kind: 'content_differs', units: 1 });
  });

  test('and replays the living order, not a second claim of it that was released', () => {
    const released = mark({ state: 'ended', origin: { ...origin, seq: 2 } });
    const living = mark({ state: 'settled' });
    for (const marks of [
      [released, living],
      [living, released],
    ]) {
      expect(decide({ marks })).toEqual({ kind: 'replay', mark: living });
    }
  });
});
