/** What goes on in a queue while its gate is rebuilt: whatever is in it at one look and not at the next, each claim is counted once. */
import { expect, it } from 'vitest';
import { createMemoryLedger } from '../adapters/memory/ledger.ts';
import { createManualClock } from '../adapters/memory/manual-clock.ts';
import { createMemoryStore } from '../adapters/memory/store.ts';
import { createIdSource } from '../adapters/system/ids.ts';
import { BEFORE_ALL, type Claim } from '../domain/order/claim.ts';
import { plainOffer } from '../domain/sale/offer.ts';
import type { Queue } from '../ports/queue.ts';
import { operateSale } from './change-sale.ts';
import { createSale } from './create-sale.ts';
import { createGateSession } from './gate-session.ts';
import { rebuildSegment } from './rebuild-segment.ts';

const segment = { saleId: 'skin', region: 'home', segment: 0 };
const BUYERS = ['ann', 'ben', 'cem'];

for (const look of [1, 2]) {
  for (const how of ['deleted', 'settled'] as const) {
    it(`a claim that is ${how} behind look ${look} at the queue is counted once`, async () => {
      const clock = createManualClock(1_000_000);
      const store = createMemoryStore({ clock, idSource: createIdSource() });
      const ledger = createMemoryLedger({ clock });
      const session = createGateSession(store.gate, clock);
      const deps = { ...ledger, ...store, session, clock, idSource: createIdSource(), hasWallet: false };
      const times = { holdMs: 60_000, startsAtMs: clock.nowMs(), endsAtMs: clock.nowMs() + 60_000 };
      const sale = { id: 'skin', title: 'Skin', totalUnits: 10, limitUnits: 1, timeZone: 'UTC', ...times };
      await createSale(deps, { ...sale, offer: plainOffer('skin') });
      await operateSale(deps, 'skin', 'publish');
      const requests = BUYERS.map((buyerId) => ({ orderId: `of-${buyerId}`, buyerId, channel: 'main', units: 1 }));
      await store.gate.claim(await session.call(segment), requests);

      let looks = 0;
      const seen = async (claims: readonly Claim[]) => {
        looks += 1;
        const [claim] = claims;
        if (looks !== look || !claim) return;
        if (how === 'settled') await ledger.settlement.settle([claim]);
        await store.queue.remove([claim]);
      };
      const queue: Queue = {
        ...store.queue,
        async peek(key) {
          const entries = await store.queue.peek(key);
          await seen(entries.map((entry) => entry.claim));
          return entries;
        },
      };
      expect(
        await rebuildSegment({ ...deps, queue }, { ...segment, epoch: 1, cuts: [], settledThrough: BEFORE_ALL }),
      ).toBe(true);
      const view = await store.gate.read(segment);
      expect(view?.availableUnits.get('main')).toBe(7);
      expect(view?.unsettled).toHaveLength(how === 'settled' ? 2 : 3);
      // Behind the last look it is astray, as it would be at any other time.
      const astray = how === 'deleted' && look === 2 ? 1 : 0;
      expect((await store.gate.strays(segment, null)).strays).toHaveLength(astray);
      expect(await store.queue.peek(segment)).toHaveLength(how === 'settled' ? 2 : 3 - astray);
    });
  }
}
