import { describe, expect, it } from 'vitest';
import { Fault } from '../../domain/fault.ts';
import type { Claim } from '../../domain/order/claim.ts';
import type { Settlement } from '../../ports/settlement.ts';
import { settleGroup } from './settle-group.ts';

const claimOf = (orderId: string): Claim => ({
  ...{ orderId, saleId: 's', buyerId: 'b', units: 1 },
  origin: { region: 'home', segment: 0, channel: 'main', epoch: 1, seq: 1 },
});

/** A ledger that refuses every group in which a claim is poison. */
function ledgerWithPoison(...poison: string[]) {
  const quarantined: string[] = [];
  const settlement: Settlement = {
    async settle(claims) {
      if (claims.some((claim) => poison.includes(claim.orderId))) throw new Fault('ledger_constraint', 'no');
      return claims.map((claim) => ({ kind: 'repeated', claim, order: null }));
    },
    async quarantine(claim) {
      quarantined.push(claim.orderId);
    },
  };
  return { settlement, quarantined };
}

describe('a group that the ledger refuses', () => {
  it('is split down to the claims that cannot be settled; the others are settled, in order', async () => {
    const { settlement, quarantined } = ledgerWithPoison('3', '4', '17');
    const claims = Array.from({ length: 20 }, (_, index) => claimOf(String(index)));
    const outcomes = await settleGroup(settlement, claims);
    expect(outcomes.map((outcome) => outcome.claim)).toEqual(claims);
    expect(
      outcomes.filter((outcome) => outcome.kind === 'quarantined').map((outcome) => outcome.claim.orderId),
    ).toEqual(quarantined);
    expect(quarantined).toEqual(['3', '4', '17']);
  });

  it('is not split for a fault that may pass', async () => {
    const { settlement, quarantined } = ledgerWithPoison();
    settlement.settle = () => Promise.reject(new Fault('storage_full'));
    await expect(settleGroup(settlement, [claimOf('1'), claimOf('2')])).rejects.toMatchObject({ code: 'storage_full' });
    expect(quarantined).toEqual([]);
  });
});
