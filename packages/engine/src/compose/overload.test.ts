import { afterEach, describe, expect, it } from 'vitest';
import { createMemoryLedger } from '../adapters/memory/ledger.ts';
import { createMemoryOrderFeed } from '../adapters/memory/order-feed.ts';
import { createMemoryStore } from '../adapters/memory/store.ts';
import { createMemoryTelemetry } from '../adapters/memory/telemetry.ts';
import { systemClock as clock } from '../adapters/system/clock.ts';
import { createIdSource } from '../adapters/system/ids.ts';
import { createSigner } from '../adapters/system/signing.ts';
import { Fault } from '../domain/fault.ts';
import { HOME_REGION, MAIN_CHANNEL } from '../domain/inventory/quota.ts';
import { plainOffer } from '../domain/sale/offer.ts';
import type { Gate } from '../ports/gate.ts';
import type { Settlement } from '../ports/settlement.ts';
import { buildEngine } from './build-engine.ts';
import type { Engine, EngineParts } from './engine.ts';

const signer = createSigner([{ id: 'k1', secret: new Uint8Array(32).fill(7) }]);
const buyerOf = (buyerId: string) => ({ buyerId, region: HOME_REGION, channel: MAIN_CHANNEL });
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

type Mood = 'well' | 'full' | 'hanging';

/** An engine whose ledger settles as it is in the mood to. */
async function newWorld(totalUnits: number, more: Partial<EngineParts> = {}) {
  const idSource = createIdSource();
  const store = createMemoryStore({ clock, idSource });
  const ledger = createMemoryLedger({ clock });
  const state = { mood: 'well' as Mood, claimed: 0, sweeps: 0 };
  const gate: Gate = {
    ...store.gate,
    async claim(call, requests) {
      const outcomes = await store.gate.claim(call, requests);
      state.claimed += outcomes.filter(({ kind }) => kind === 'claimed').length;
      return outcomes;
    },
    read(segment) {
      state.sweeps++;
      return store.gate.read(segment);
    },
  };
  const settlement: Settlement = {
    ...ledger.settlement,
    async settle(claims) {
      if (state.mood === 'full') throw new Fault('storage_full');
      while (state.mood === 'hanging') await pause(20);
      return ledger.settlement.settle(claims);
    },
  };
  const engine = buildEngine({
    ...{ clock, idSource, signer, gate, queue: store.queue, feed: createMemoryOrderFeed() },
    ...{ ledger: { ...ledger, settlement }, onFault: () => {}, ...more },
    onCrash: (error) => {
      throw error;
    },
  });
  await engine.start();
  const nowMs = clock.nowMs();
  await engine.createSale({
    ...{ offer: plainOffer('skin'), timeZone: 'UTC' },
    ...{ id: 'skin', title: 'Skin', totalUnits, limitUnits: 1, holdMs: 60_000 },
    ...{ startsAtMs: nowMs - 1_000, endsAtMs: nowMs + 60_000 },
  });
  await engine.operateSale('skin', 'publish');
  return { engine, state, ledger };
}

async function buy(engine: Engine, buyerId: string) {
  const buyer = buyerOf(buyerId);
  const issued = await engine.issueToken('skin', buyer);
  if (issued.kind === 'refused') return { kind: issued.kind, reason: issued.reason, again: async () => issued };
  const again = () => engine.purchase({ saleId: 'skin', buyer, token: issued.token, units: 1 });
  return { ...(await again()), again };
}

let world: Awaited<ReturnType<typeof newWorld>>;
afterEach(() => {
  world.state.mood = 'well';
  return world.engine.stop();
});

describe('while the ledger does not settle', () => {
  it.each(['full', 'hanging'] as const)(
    'nothing is claimed when it is %s, orders that are there are answered, and it sells again within 2 s',
    async (mood) => {
      world = await newWorld(100);
      const { engine, state } = world;
      const early = await buy(engine, 'early');
      expect(early).toMatchObject({ kind: 'accepted', status: 'pending' });

      state.mood = mood;
      const trigger = buy(engine, 'trigger');
      await expect.poll(async () => (await engine.read()).ledgerBreaker, { timeout: 4_000 }).toBe('open');
      const claimedBefore = state.claimed;
      for (let index = 0; index < 200; index++) {
        expect(await buy(engine, `b${index}`)).toMatchObject({ reason: 'busy', retryAfterMs: expect.any(Number) });
      }
      await pause(1_500);
      expect(await buy(engine, 'later')).toMatchObject({ reason: 'busy' });
      expect(state.claimed).toBe(claimedBefore);
      expect((await engine.read()).queue).toMatchObject({ entries: 1 });
      expect(await early.again()).toMatchObject({ kind: 'accepted', status: 'pending', isReplayed: true });

      state.mood = 'well';
      const wellAtMs = clock.monotonicMs();
      await expect
        .poll(async () => (await buy(engine, 'first')).kind, { timeout: 4_000, interval: 20 })
        .toBe('accepted');
      expect(clock.monotonicMs() - wellAtMs).toBeLessThan(2_000);
      expect(await trigger).toMatchObject({ kind: 'accepted' });
      expect((await engine.read()).ledgerBreaker).toBe('closed');
    },
  );
});

describe('a sale that is empty', () => {
  it('is remembered: no token, few sweeps, and a winner who repeats still gets his order', async () => {
    world = await newWorld(1);
    const { engine, state } = world;
    const win = await buy(engine, 'ann');
    expect(await buy(engine, 'bob')).toMatchObject({ reason: 'none_left_now' });
    const [sweeps, untilMs] = [state.sweeps, clock.monotonicMs() + 1_200];
    let asked = 0;
    for (; clock.monotonicMs() < untilMs; asked++) {
      expect(await engine.issueToken('skin', buyerOf(`b${asked}`))).toMatchObject({ reason: 'none_left_now' });
      if (asked % 100 === 0) await pause(1);
    }
    expect(asked).toBeGreaterThan(100);
    // A sweep reads the gate twice.
    expect(state.sweeps - sweeps).toBeLessThanOrEqual(8);
    expect(await win.again()).toMatchObject({ kind: 'accepted', isReplayed: true });
  });

  it('opens within a second of a unit that comes back', async () => {
    world = await newWorld(1);
    const { engine } = world;
    const win = await buy(engine, 'ann');
    expect(await buy(engine, 'bob')).toMatchObject({ reason: 'none_left_now' });
    expect(await engine.issueToken('skin', buyerOf('bob'))).toMatchObject({ reason: 'none_left_now' });
    if (win.kind !== 'accepted') throw new Error('no win');
    const orderId = (win as { readonly orderId: string }).orderId;
    expect(await engine.cancelOrder({ orderId, buyer: buyerOf('ann'), receipt: null })).toMatchObject({
      kind: 'cancelled',
    });
    const backAtMs = clock.monotonicMs();
    await expect.poll(async () => (await buy(engine, 'bob')).kind, { timeout: 3_000, interval: 20 }).toBe('accepted');
    expect(clock.monotonicMs() - backAtMs).toBeLessThan(1_000);
  });

  it('is looked at by many for a few sweeps, and the looking makes nobody else sweep', async () => {
    world = await newWorld(1);
    const { engine, state } = world;
    expect(await engine.hasUnitsLeft('skin')).toBe(true);
    await buy(engine, 'ann');
    await expect.poll(() => engine.hasUnitsLeft('skin'), { timeout: 3_000 }).toBe(false);
    const [sweeps, untilMs] = [state.sweeps, clock.monotonicMs() + 1_200];
    for (let looks = 0; clock.monotonicMs() < untilMs; looks++) {
      expect(await engine.hasUnitsLeft('skin')).toBe(false);
      if (looks % 100 === 0) await pause(1);
    }
    // A sweep reads the gate twice.
    expect(state.sweeps - sweeps).toBeLessThanOrEqual(8);
    // Nobody has found it empty yet, so a token costs no sweep, and is given.
    expect(await engine.issueToken('skin', buyerOf('bob'))).toMatchObject({ kind: 'issued' });
  });

  it('costs no sweep while there are units', async () => {
    world = await newWorld(10);
    const { engine, state } = world;
    await buy(engine, 'ann');
    const { sweeps } = state;
    for (let index = 0; index < 500; index++) await engine.issueToken('skin', buyerOf(`b${index}`));
    expect(state.sweeps).toBeLessThanOrEqual(sweeps + 2);
  });
});

describe('under overload', () => {
  it('purchases are refused early, while orders are read, paid and cancelled as ever', async () => {
    const load = { lagMs: 0 };
    const bounds = { maxInFlight: 0, maxQueueEntries: 0, maxQueueAgeMs: 0, maxLoopLagMs: 100 };
    world = await newWorld(10, { bounds, loopLagMs: () => load.lagMs });
    const { engine, state } = world;
    const win = await buy(engine, 'ann');
    const orderId = (win as unknown as { readonly orderId: string }).orderId;
    load.lagMs = 101;
    const { claimed } = state;
    expect(await buy(engine, 'bob')).toMatchObject({ reason: 'busy' });
    expect(engine.shed()).toMatchObject({ reason: 'busy' });
    expect(state.claimed).toBe(claimed);
    expect(await engine.findOrder(orderId, buyerOf('ann'))).toMatchObject({ state: 'pending' });
    await engine.notePayment({ orderId, outcome: 'paid', reference: 'p', amount: null });
    expect(await engine.findOrder(orderId, buyerOf('ann'))).toMatchObject({ state: 'paid' });
    load.lagMs = 0;
    expect(await buy(engine, 'bob')).toMatchObject({ kind: 'accepted' });
  });

  it('a queue that is too long holds new claims back, and lets them in when it is short again', async () => {
    const bounds = { maxInFlight: 0, maxQueueEntries: 5, maxQueueAgeMs: 0, maxLoopLagMs: 0 };
    world = await newWorld(1_000, { bounds });
    const { engine, state } = world;
    await buy(engine, 'ann');
    state.mood = 'hanging';
    const stuck = Array.from({ length: 20 }, (_, index) => buy(engine, `s${index}`));
    await pause(300);
    await buy(engine, 'looks').catch(() => null);
    await expect.poll(async () => (await buy(engine, 'bob')).kind, { timeout: 1_000, interval: 20 }).toBe('refused');
    state.mood = 'well';
    await Promise.all(stuck);
    await expect.poll(async () => (await buy(engine, 'cat')).kind, { timeout: 2_000, interval: 50 }).toBe('accepted');
  });
});

describe('figures', () => {
  it('tell who was turned away where, and what was claimed, settled and ended', async () => {
    const telemetry = createMemoryTelemetry();
    world = await newWorld(2, { telemetry });
    const { engine, state } = world;
    await buy(engine, 'ann');
    const second = await buy(engine, 'bob');
    await buy(engine, 'cat');
    await buy(engine, 'dan');
    await second.again();
    await engine.purchase({ saleId: 'skin', buyer: buyerOf('eve'), token: 'forged', units: 1 });
    const orderId = (second as unknown as { readonly orderId: string }).orderId;
    await engine.cancelOrder({ orderId, buyer: buyerOf('bob'), receipt: null });
    state.mood = 'full';
    const stuck = buy(engine, 'fay');
    await expect
      .poll(() => telemetry.figures.get('settlement storage_full') ?? 0, { timeout: 3_000 })
      .toBeGreaterThan(2);
    await buy(engine, 'gus');
    state.mood = 'well';
    await stuck;
    expect(Object.fromEntries(telemetry.figures)).toMatchObject({
      ...{ 'gate none_left_now': 1, 'token none_left_now': 1, 'admission token_invalid': 1, 'overload busy': 1 },
      ...{ 'claims judged': 5, 'claims taken': 3, 'claims replayed': 1, 'claims settled': 3, 'claims refused': 0 },
      ...{ 'orders pending': 3, 'orders cancelled': 1 },
    });
  });
});
