import { expect } from 'vitest';
import { createMemoryLedger } from '../adapters/memory/ledger.ts';
import { createManualClock } from '../adapters/memory/manual-clock.ts';
import { createMemoryOrderFeed } from '../adapters/memory/order-feed.ts';
import { createMemoryStore } from '../adapters/memory/store.ts';
import { createIdSource } from '../adapters/system/ids.ts';
import { plainOffer } from '../domain/sale/offer.ts';
import { operateSale } from '../inventory/change-sale.ts';
import { createSale } from '../inventory/create-sale.ts';
import { createGateSession } from '../inventory/gate-session.ts';
import { readPlaces } from '../inventory/read-places.ts';
import type { Gate } from '../ports/gate.ts';
import type { Settlement } from '../ports/settlement.ts';
import { createSettlementCeiling, NO_CEILING } from './ledger/settlement-ceiling.ts';
import { createWorker } from './worker.ts';

export const SEGMENT = { saleId: 'skin', region: 'home', segment: 0 };

/** A live sale over memory adapters, and workers to settle it. */
export async function newWorkerWorld(totalUnits: number, limitUnits = 1) {
  const clock = createManualClock(1_000_000);
  const idSource = createIdSource();
  const { gate, queue } = createMemoryStore({ clock, idSource });
  const { sales, inventoryCentre, settlement, orders } = createMemoryLedger({ clock });
  const session = createGateSession(gate, clock);
  const deps = { gate, queue, session, clock, idSource, inventoryCentre, sales, hasWallet: false };
  const openSale = async (id: string, units: number) => {
    const window = { startsAtMs: clock.nowMs(), endsAtMs: clock.nowMs() + 60_000 };
    const offer = { offer: plainOffer(id), timeZone: 'UTC', id, title: id };
    await createSale(
      { sales, hasWallet: false },
      { ...offer, ...window, totalUnits: units, limitUnits, holdMs: 60_000 },
    );
    await operateSale(deps, id, 'publish');
  };
  await openSale('skin', totalUnits);

  const faults: string[] = [];
  const crashes: unknown[] = [];
  const rests: number[] = [];
  const feed = createMemoryOrderFeed();
  const newWorker = (settle: Settlement, ceiling = createSettlementCeiling(clock, NO_CEILING)) =>
    createWorker({
      ...{ ...deps, feed, settlement: settle, consumer: idSource.newId() },
      ...{ ceiling, onRest: (restMs) => rests.push(restMs) },
      onFault: (fault) => faults.push(fault.code),
      onCrash: (error) => crashes.push(error),
    });
  const fulfilDeps = (at: Gate) => ({ ...deps, gate: at, feed, settlement, consumer: 'w' });
  const claim = async (...orderIds: string[]) => {
    const requests = orderIds.map((orderId) => ({
      orderId,
      buyerId: `buyer of ${orderId}`,
      channel: 'main',
      units: 1,
    }));
    return gate.claim(await session.call(SEGMENT), requests);
  };
  const places = async () => {
    const result = await readPlaces(deps, 'skin');
    expect(result).toMatchObject({ kind: 'read', reading: { isBalanced: true, isStill: true } });
    return result.kind === 'read' ? result.reading.places : null;
  };
  return {
    ...{ clock, gate, queue, session, settlement, orders, openSale },
    ...{ newWorker, fulfilDeps, claim, places, faults, crashes, rests },
  };
}

/** Lets what has been begun go on, without any time passing. */
export const turns = async (count = 20) => {
  for (let turn = 0; turn < count; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
};
