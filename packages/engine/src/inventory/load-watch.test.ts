/** Two processes keep the sales of one gate, each with a session of its own. */
import { describe, expect, it } from 'vitest';
import { createMemoryLedger } from '../adapters/memory/ledger.ts';
import { createManualClock } from '../adapters/memory/manual-clock.ts';
import { createMemoryStore } from '../adapters/memory/store.ts';
import { createIdSource } from '../adapters/system/ids.ts';
import { plainOffer } from '../domain/sale/offer.ts';
import type { Gate } from '../ports/gate.ts';
import { type ChangeSaleDeps, operateSale } from './change-sale.ts';
import { createSale } from './create-sale.ts';
import { createGateSession } from './gate-session.ts';
import { keepSale } from './keep-sale.ts';
import { createLoadWatch } from './load-watch.ts';

const SEGMENT = { saleId: 'skin', region: 'home', segment: 0 };
/** Longer than a call to the gate may be on its way. */
const OVERDUE_MS = 2_500;

/** A gate at which loads wait until they are let through. */
function withHeldLoads(gate: Gate) {
  const held: (() => void)[] = [];
  const holding: Gate = {
    ...gate,
    load: (call, load) => new Promise((resolve) => held.push(() => resolve(gate.load(call, load)))),
  };
  const letThrough = () => {
    for (const go of held.splice(0)) go();
  };
  return { gate: holding, letThrough, waiting: () => held.length };
}

async function newWorld() {
  const clock = createManualClock(1_000_000);
  const idSource = createIdSource();
  const store = createMemoryStore({ clock, idSource });
  const { sales, inventoryCentre, settlement } = createMemoryLedger({ clock });
  const process = (gate: Gate = store.gate): ChangeSaleDeps & { hasWallet: boolean } => ({
    ...{ gate, queue: store.queue, inventoryCentre, idSource, sales, hasWallet: false },
    ...{ session: createGateSession(gate, clock), loadWatch: createLoadWatch(clock) },
  });
  await createSale(process(), {
    ...{ offer: plainOffer('skin'), timeZone: 'UTC', id: 'skin', title: 'Skin' },
    ...{ totalUnits: 5, limitUnits: 1, holdMs: 60_000 },
    ...{ startsAtMs: clock.nowMs(), endsAtMs: clock.nowMs() + 60_000 },
  });
  const seller = process();
  await operateSale(seller, 'skin', 'publish');
  const buy = async (buyerId: string) => {
    await seller.session.renew(SEGMENT);
    const request = { orderId: `order-of-${buyerId}`, buyerId, channel: 'main', units: 1 };
    return (await store.gate.claim(await seller.session.call(SEGMENT), [request]))[0]?.kind;
  };
  const settle = async () => {
    const entries = await store.queue.read('worker', 10);
    const outcomes = await settlement.settle(entries.map((entry) => entry.claim));
    return outcomes.map(({ kind }) => kind);
  };
  return { clock, store, process, buy, settle };
}

/** Everything that can go on without a timer has. */
const idle = () => new Promise((resolve) => setTimeout(resolve, 0));

describe('a gate that two processes find empty', () => {
  it('sells nothing between the two loads that the second would undo', async () => {
    const { store, process, buy, settle } = await newWorld();
    const [first, second] = [withHeldLoads(store.gate), withHeldLoads(store.gate)];
    const keepers = [process(first.gate), process(second.gate)] as const;
    for (const keeper of keepers) expect(await keepSale(keeper, 'skin')).toBe('kept');
    store.lose();
    const firstKept = keepSale(keepers[0], 'skin');
    await idle();
    expect(first.waiting()).toBe(1);
    const secondKept = keepSale(keepers[1], 'skin');
    await idle();
    first.letThrough();
    await firstKept;
    expect(await buy('ann')).toBe('claimed');
    second.letThrough();
    await secondKept;
    expect(await settle()).toEqual(['settled']);
  });

  it('is loaded by the second when the first has died meanwhile', async () => {
    const { clock, store, process, buy, settle } = await newWorld();
    const dying = withHeldLoads(store.gate);
    const first = process(dying.gate);
    await keepSale(first, 'skin');
    store.lose();
    void keepSale(first, 'skin');
    await idle();
    expect(dying.waiting()).toBe(1);
    const second = process();
    expect(await keepSale(second, 'skin')).toBe('unfinished');
    clock.advance(OVERDUE_MS);
    expect(await keepSale(second, 'skin')).toBe('kept');
    // It can move nothing any more.
    dying.letThrough();
    await idle();
    expect(await buy('ann')).toBe('claimed');
    expect(await settle()).toEqual(['settled']);
  });

  it('is loaded at once by whoever has seen it loaded before', async () => {
    const { store, process, buy } = await newWorld();
    const keeper = process();
    expect(await keepSale(keeper, 'skin')).toBe('kept');
    store.lose();
    expect(await keepSale(keeper, 'skin')).toBe('kept');
    expect(await buy('ann')).toBe('claimed');
  });
});
