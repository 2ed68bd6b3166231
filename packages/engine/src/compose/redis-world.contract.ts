/** Sales whose gates are in Redis and whose ledger is in this process, kept as a worker keeps them; for tests of what Redis does. */
import { setTimeout as pause } from 'node:timers/promises';
import { createMemoryLedger } from '../adapters/memory/ledger.ts';
import type { ClientTimes } from '../adapters/redis/client.ts';
import { openRedisStore } from '../adapters/redis/store.ts';
import { TEST_LEDGER } from '../adapters/redis/test-names.contract.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { createIdSource } from '../adapters/system/ids.ts';
import { Fault } from '../domain/fault.ts';
import { type Claim, claimId } from '../domain/order/claim.ts';
import { plainOffer } from '../domain/sale/offer.ts';
import { gateWithRetry } from '../funnel/gate/gate-with-retry.ts';
import { createStrayWatch } from '../inventory/bring-back-strays.ts';
import { operateSale } from '../inventory/change-sale.ts';
import { createSale } from '../inventory/create-sale.ts';
import { createGateSession, type GateSession } from '../inventory/gate-session.ts';
import { gateThatRenews } from '../inventory/gate-that-renews.ts';
import { createKeeper } from '../inventory/keeper.ts';
import { createLoadWatch } from '../inventory/load-watch.ts';
import { readPlaces } from '../inventory/read-places.ts';
import type { InventoryCentre } from '../ports/inventory-centre.ts';
import { MAX_CLAIMS_PER_SETTLEMENT } from '../ports/settlement.ts';

const REGION = 'home';

export interface RedisWorld {
  readonly store: Awaited<ReturnType<typeof openRedisStore>>;
  readonly session: GateSession;
  readonly inventoryCentre: InventoryCentre;
  sale(saleId: string, totalUnits: number): Promise<void>;
  /** One try: the answer, or the code of the fault. */
  buy(saleId: string, buyerId: string): Promise<string>;
  /** All in one call, which answers all of them. */
  buyTogether(saleId: string, buyerIds: readonly string[]): Promise<readonly Claim[]>;
  /** Until it is decided: won, or there is no more. */
  buyPatiently(saleId: string, buyerId: string, withinMs?: number): Promise<string>;
  /** What the queue has, up to so many: how each ends. */
  settle(max?: number): Promise<readonly string[]>;
  /** Claims that were answered as won and that the ledger does not have. */
  missing(): Promise<readonly Claim[]>;
  sold(saleId: string): Promise<number>;
  /** Where its units are, once they keep still and sum to the total. */
  balanced(saleId: string): Promise<unknown>;
  close(): Promise<void>;
}

export async function openRedisWorld(url: string, times?: ClientTimes): Promise<RedisWorld> {
  const clock = systemClock;
  const idSource = createIdSource();
  const store = await openRedisStore({ ledgerId: TEST_LEDGER, url, clock, ...(times && { times }) });
  const ledger = createMemoryLedger({ clock });
  const session = createGateSession(store.gate, store.serverClock);
  const gate = gateThatRenews(gateWithRetry(store.gate, store.serverClock), session);
  const deps = {
    ...{ gate, queue: store.queue, session, idSource, clock, hasWallet: false, loadWatch: createLoadWatch(clock) },
    ...{ sales: ledger.sales, inventoryCentre: ledger.inventoryCentre },
    strayWatch: createStrayWatch(clock),
  };
  const crashes: unknown[] = [];
  const keeper = createKeeper({ ...deps, onFault: () => {}, onCrash: (error) => crashes.push(error) });
  keeper.start();
  /** By id: a claim whose answer was lost is known when its repeat is told of it. */
  const won = new Map<string, Claim>();
  const win = (claim: Claim) => void won.set(claimId(claim), claim);

  const buy: RedisWorld['buy'] = async (saleId, buyerId) => {
    const segment = { saleId, region: REGION, segment: 0 };
    const request = { orderId: `${saleId}-${buyerId}`, buyerId, channel: 'main', units: 1 };
    try {
      const [outcome] = await gate.claim(await session.call(segment), [request]);
      if (outcome?.kind === 'claimed') win(outcome.claim);
      if (outcome?.kind === 'replayed' && outcome.mark.state === 'claimed') win({ ...outcome.mark, saleId, buyerId });
      return outcome?.kind ?? 'none';
    } catch (error) {
      if (error instanceof Fault) return error.code;
      throw error;
    }
  };

  return {
    ...{ store, session, inventoryCentre: ledger.inventoryCentre, buy },
    async buyTogether(saleId, buyerIds) {
      const segment = { saleId, region: REGION, segment: 0 };
      const requests = buyerIds.map((buyerId) => ({
        orderId: `${saleId}-${buyerId}`,
        buyerId,
        channel: 'main',
        units: 1,
      }));
      const outcomes = await gate.claim(await session.call(segment), requests);
      const claims = outcomes.flatMap((outcome) => (outcome.kind === 'claimed' ? [outcome.claim] : []));
      claims.forEach(win);
      return claims;
    },
    async sale(saleId, totalUnits) {
      const times = { startsAtMs: clock.nowMs() - 60_000, endsAtMs: clock.nowMs() + 3_600_000 };
      await createSale(deps, {
        ...{ offer: plainOffer(saleId), timeZone: 'UTC', id: saleId, title: saleId, holdMs: 3_600_000 },
        ...{ totalUnits, limitUnits: 1, ...times },
      });
      await operateSale(deps, saleId, 'publish');
    },
    async buyPatiently(saleId, buyerId, withinMs = 15_000) {
      for (const untilMs = Date.now() + withinMs; ; await pause(20)) {
        const answer = await buy(saleId, buyerId);
        if (answer === 'claimed' || answer === 'replayed' || answer === 'dry' || Date.now() > untilMs) return answer;
      }
    },
    async settle(max = MAX_CLAIMS_PER_SETTLEMENT) {
      const entries = await store.queue.read('worker', max);
      const claims = entries.map(({ claim }) => claim);
      if (claims.length === 0) return [];
      const outcomes = await ledger.settlement.settle(claims);
      await store.queue.remove(claims);
      return outcomes.map(({ kind }) => kind);
    },
    async missing() {
      const found = await Promise.all(
        [...won.values()].map(async (claim) => ({ claim, order: await ledger.orders.find(claim.orderId) })),
      );
      return found.flatMap(({ claim, order }) =>
        order && claimId({ orderId: order.orderId, origin: order.origin }) === claimId(claim) ? [] : [claim],
      );
    },
    async sold(saleId) {
      const stock = await ledger.inventoryCentre.stock(saleId, []);
      return (stock?.quotas ?? []).reduce((sum, { heldUnits, soldUnits }) => sum + heldUnits + soldUnits, 0);
    },
    async balanced(saleId) {
      const read = await readPlaces({ ...deps, gate: store.gate }, saleId);
      return read.kind === 'read' && read.reading.isStill && read.reading.isBalanced;
    },
    async close() {
      await keeper.stop();
      store.close();
      if (crashes.length > 0) throw crashes[0];
    },
  };
}
