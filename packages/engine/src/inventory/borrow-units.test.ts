import { describe, expect, it } from 'vitest';
import { createMemoryLedger } from '../adapters/memory/ledger.ts';
import { createManualClock } from '../adapters/memory/manual-clock.ts';
import { createMemoryStore } from '../adapters/memory/store.ts';
import { createIdSource } from '../adapters/system/ids.ts';
import { plainOffer } from '../domain/sale/offer.ts';
import { borrowUnits } from './borrow-units.ts';
import { operateSale } from './change-sale.ts';
import { createSale } from './create-sale.ts';
import { createGateSession } from './gate-session.ts';

const QUOTA = { saleId: 'skin', region: 'home', segment: 0, channel: 'main' };

/** A sale of two segments, of which the first is dry and the second has all that is left: 8 units. */
async function newWorld() {
  const clock = createManualClock(1_000_000);
  const idSource = createIdSource();
  const { gate, queue } = createMemoryStore({ clock, idSource });
  const { sales, inventoryCentre } = createMemoryLedger({ clock });
  const session = createGateSession(gate, clock);
  const deps = { gate, queue, session, idSource, inventoryCentre, sales, hasWallet: false };
  await createSale(deps, {
    ...{ id: 'skin', title: 'Skin', offer: plainOffer('skin'), timeZone: 'UTC' },
    ...{ totalUnits: 16, limitUnits: 8, holdMs: 60_000, segments: 2 },
    ...{ startsAtMs: clock.nowMs(), endsAtMs: clock.nowMs() + 60_000 },
  });
  await operateSale(deps, 'skin', 'publish');
  const claim = async (orderId: string, units: number) =>
    gate.claim(await session.call(QUOTA), [{ orderId, buyerId: orderId, channel: 'main', units }]);
  await claim('first', 8);
  const available = async () =>
    Promise.all([0, 1].map(async (segment) => (await gate.read({ ...QUOTA, segment }))?.availableUnits.get('main')));
  const borrow = (units: number) => borrowUnits(deps, QUOTA, { units, leastUnits: 1 });
  return { deps, claim, available, borrow };
}

describe('a borrow', () => {
  it('that several processes make on the same sight moves units once', async () => {
    const { available, borrow } = await newWorld();
    const answers = await Promise.all([borrow(1), borrow(1), borrow(1)]);
    expect(answers.map(({ kind }) => kind)).toEqual(['came', 'came', 'came']);
    expect(await available()).toEqual([4, 4]);
  });

  it('after another gets units of the same lender again, to the last one', async () => {
    const { available, borrow, claim } = await newWorld();
    for (const [orderId, units] of [
      ['a', 4],
      ['b', 2],
      ['c', 1],
      ['d', 1],
    ] as const) {
      expect(await borrow(units)).toMatchObject({ kind: 'came' });
      expect(await claim(orderId, units)).toMatchObject([{ kind: 'claimed' }]);
    }
    expect(await available()).toEqual([0, 0]);
    expect(await borrow(1)).toEqual({ kind: 'none', leftUnits: 0 });
  });

  it('is not clear while a gate that may have units cannot be read', async () => {
    const { deps, borrow } = await newWorld();
    const { gate } = deps;
    const read: typeof gate.read = async (segment) => (segment.segment === 1 ? null : gate.read(segment));
    const answer = await borrowUnits({ ...deps, gate: { ...gate, read } }, QUOTA, { units: 1, leastUnits: 1 });
    expect(answer).toMatchObject({ kind: 'unclear' });
    expect(await borrow(1)).toMatchObject({ kind: 'came' });
  });
});
