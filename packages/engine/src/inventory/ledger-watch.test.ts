import { describe, expect, it } from 'vitest';
import { createMemoryLedger } from '../adapters/memory/ledger.ts';
import { createManualClock } from '../adapters/memory/manual-clock.ts';
import { createMemoryStore } from '../adapters/memory/store.ts';
import { createIdSource } from '../adapters/system/ids.ts';
import { type Claim, claimId } from '../domain/order/claim.ts';
import { plainOffer } from '../domain/sale/offer.ts';
import { newClaim } from '../ports/ledger-fixture.contract.ts';
import { operateSale } from './change-sale.ts';
import { createSale } from './create-sale.ts';
import { createGateSession } from './gate-session.ts';
import { keepSale } from './keep-sale.ts';
import { createLedgerWatch } from './ledger-watch.ts';
import { readPlaces } from './read-places.ts';

const SALE = 'skin';

function newWorld() {
  const clock = createManualClock(1_000_000);
  const store = createMemoryStore({ clock, idSource: createIdSource() });
  const told: string[] = [];
  const ledgerWatch = createLedgerWatch({ clock, onBehind: (saleId) => told.push(saleId) });
  const depsOn = async (ledger = createMemoryLedger({ clock })) => {
    const { sales, inventoryCentre } = ledger;
    const deps = {
      ...{ ...store, sales, inventoryCentre, idSource: createIdSource(), clock },
      ...{ hasWallet: false, session: createGateSession(store.gate, clock), ledgerWatch },
    };
    await createSale(deps, {
      ...{ offer: plainOffer('skin'), timeZone: 'UTC', id: SALE, title: 'Skin', totalUnits: 5 },
      ...{ limitUnits: 1, holdMs: 60_000, startsAtMs: clock.nowMs(), endsAtMs: clock.nowMs() + 60_000 },
    });
    await operateSale(deps, SALE, 'publish');
    return { ...deps, ledger };
  };
  return { clock, store, told, ledgerWatch, depsOn };
}

describe('a ledger that has forgotten', () => {
  it('is found by its gate, whose epoch it has not opened, and opens one above that', async () => {
    const { store, told, depsOn } = newWorld();
    const first = await depsOn();
    const [segment] = (await first.inventoryCentre.stock(SALE, []))?.segments ?? [];
    if (!segment) throw new Error('there is a segment');
    const opened = { segment, fromEpoch: 1, gateEpoch: 6, cutThrough: { epoch: 0, seq: 0 }, queued: [] };
    await first.inventoryCentre.openEpoch(opened);
    await keepSale(first, SALE);
    expect((await store.gate.read(segment))?.epoch).toBeGreaterThan(6);
    expect(told).toEqual([]);

    const older = await depsOn();
    expect(await keepSale(older, SALE)).toBe('kept');
    const view = await store.gate.read(segment);
    expect(view?.epoch).toBeGreaterThan(7);
    expect((await older.inventoryCentre.stock(SALE, []))?.segments).toMatchObject([{ epoch: view?.epoch }]);
    expect(told).toEqual([SALE]);
    expect(await readPlaces(older, SALE)).toMatchObject({ reading: { isBalanced: true, places: { available: 5 } } });
  });

  const key = { saleId: 'sale-1', region: 'main', segment: 0 };
  const record = { ...key, epoch: 1, cuts: [], settledThrough: { epoch: 1, seq: 99 } };
  const stockThatKnows = (known: readonly Claim[]) =>
    ({ segments: [record], knownClaimIds: new Set(known.map(claimId)) }) as never;
  const [a, b, c, d] = [1, 2, 3, 4].map((seq) => newClaim('sale-1', seq)) as [Claim, Claim, Claim, Claim];

  it('is asked for the last claim before a gap, whatever it has settled since', () => {
    const { clock, ledgerWatch } = newWorld();
    ledgerWatch.settled([a, b]);
    ledgerWatch.settled([c]);
    clock.advance(60);
    ledgerWatch.settled([d]);
    const asked = ledgerWatch.claimsOf('sale-1');
    expect(asked).toEqual([c, d]);
    ledgerWatch.compare(stockThatKnows([d]), asked);
    expect(ledgerWatch.isBehind(record, null)).toBe(true);
    ledgerWatch.caughtUp(key);
    expect(ledgerWatch.isBehind(record, null)).toBe(false);
    expect(ledgerWatch.claimsOf('sale-1')).toEqual([]);
  });

  it('is not suspected while it knows what it is asked, nor for what came before another rebuild', () => {
    const { ledgerWatch } = newWorld();
    ledgerWatch.settled([a]);
    ledgerWatch.compare(stockThatKnows([a]), ledgerWatch.claimsOf('sale-1'));
    expect(ledgerWatch.isBehind(record, null)).toBe(false);
    expect(ledgerWatch.claimsOf('sale-1')).toEqual([a]);
    const rebuilt = { segments: [{ ...record, epoch: 2 }], knownClaimIds: new Set<string>() } as never;
    ledgerWatch.compare(rebuilt, ledgerWatch.claimsOf('sale-1'));
    expect(ledgerWatch.isBehind({ ...record, epoch: 2 }, null)).toBe(false);
  });
});
