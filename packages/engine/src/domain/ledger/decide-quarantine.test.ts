import { expect, test } from 'vitest';
import { BEFORE_ALL, type Claim } from '../order/claim.ts';
import { decideQuarantine, type QuarantineView } from './decide-quarantine.ts';

const segment = { saleId: 'sale', region: 'main', segment: 0 };
const claim: Claim = {
  orderId: 'x',
  saleId: 'sale',
  buyerId: 'one',
  units: 2,
  origin: { region: 'main', segment: 0, channel: 'web', epoch: 1, seq: 4 },
};
const record = { ...segment, epoch: 1, cuts: [], settledThrough: BEFORE_ALL };
const quota = { ...segment, channel: 'web', allottedUnits: 5, heldUnits: 1, soldUnits: 1, quarantinedUnits: 1 };

test.each<[string, Partial<QuarantineView>, ReturnType<typeof decideQuarantine>]>([
  ['that its quota backs keeps its units', {}, { kind: 'set_aside', units: 2 }],
  ['that the ledger has is left as it is', { isKnown: true }, { kind: 'known' }],
  [
    'of more than its quota has is kept without units',
    { quota: { ...quota, heldUnits: 2 } },
    { kind: 'set_aside', units: 0 },
  ],
  ['of no segment is kept without units', { segment: null }, { kind: 'set_aside', units: 0 }],
  ['of no quota is kept without units', { quota: null }, { kind: 'set_aside', units: 0 }],
  [
    'that is stale is kept without units (P5)',
    { segment: { ...record, epoch: 2, cuts: [{ epoch: 2, through: { epoch: 1, seq: 3 } }] } },
    { kind: 'set_aside', units: 0 },
  ],
])('a claim %s', (_what, changes, decision) => {
  expect(decideQuarantine({ isKnown: false, segment: record, quota, ...changes }, claim)).toEqual(decision);
});
