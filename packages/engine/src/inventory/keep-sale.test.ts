import { describe, expect, it } from 'vitest';
import { createMemoryLedger } from '../adapters/memory/ledger.ts';
import { createManualClock } from '../adapters/memory/manual-clock.ts';
import { createMemoryStore } from '../adapters/memory/store.ts';
import { createIdSource } from '../adapters/system/ids.ts';
import { NOWHERE } from '../domain/inventory/place.ts';
import { plainOffer } from '../domain/sale/offer.ts';
import type { Clock } from '../ports/clock.ts';
import type { Gate } from '../ports/gate.ts';
import type { InventoryCentre } from '../ports/inventory-centre.ts';
import { type ChangeSaleDeps, operateSale } from './change-sale.ts';
import { createSale } from './create-sale.ts';
import { createGateSession } from './gate-session.ts';
import { createDryJudge, sweepPlaces, VERDICT_MS } from './judge-dry.ts';
import { keepSale } from './keep-sale.ts';
import { type ReadPlacesDeps, readPlaces } from './read-places.ts';
import { withdrawStock } from './withdraw-stock.ts';

const SEGMENT = { saleId: 'skin', region: 'home', segment: 0 };

/** Runs out of power at the n-th call of gate or ledger: before it is carried out, or after it with the answer lost. */
function fuse(atCall: number, when: 'before' | 'after') {
  let calls = 0;
  const burn = <Port extends object>(port: Port): Port =>
    new Proxy(port, {
      get: (target, name) => {
        const method = Reflect.get(target, name) as (...args: unknown[]) => Promise<unknown>;
        return async (...args: unknown[]) => {
          const isLast = ++calls === atCall;
          if (isLast && when === 'before') throw new Error('power');
          const answer = await method.apply(target, args);
          if (isLast) throw new Error('power');
          return answer;
        };
      },
    });
  return { burn, wasMet: () => calls >= atCall };
}

function judgeOf(deps: Omit<ReadPlacesDeps, 'clock'>, clock: Clock) {
  return createDryJudge({ clock, sweep: (saleId) => sweepPlaces({ ...deps, clock }, saleId) });
}

async function newWorld(totalUnits: number) {
  const clock = createManualClock(1_000_000);
  const idSource = createIdSource();
  const store = createMemoryStore({ clock, idSource });
  const ledger = createMemoryLedger({ clock });
  const { sales, inventoryCentre, settlement } = ledger;
  await createSale(
    { sales, hasWallet: false },
    {
      ...{ offer: plainOffer('skin'), timeZone: 'UTC' },
      ...{ id: 'skin', title: 'Skin', totalUnits, limitUnits: 1, holdMs: 60_000 },
      ...{ startsAtMs: clock.nowMs(), endsAtMs: clock.nowMs() + 60_000 },
    },
  );
  const depsWith = (gate: Gate, centre: InventoryCentre): ChangeSaleDeps & { hasWallet: boolean } => ({
    ...{
      gate,
      queue: store.queue,
      inventoryCentre: centre,
      hasWallet: false,
      session: createGateSession(gate, clock),
      idSource,
      sales,
    },
  });
  const deps = depsWith(store.gate, inventoryCentre);
  const places = async () => {
    const result = await readPlaces({ ...deps, clock }, 'skin');
    if (result.kind !== 'read') throw new Error(result.kind);
    expect(result.reading).toMatchObject({ isBalanced: true, isStill: true });
    return result.reading.places;
  };
  const claim = async (buyerId: string) => {
    const call = await deps.session.call(SEGMENT);
    const request = { orderId: `order-of-${buyerId}`, buyerId, channel: 'main', units: 1 };
    return (await store.gate.claim(call, [request]))[0]?.kind;
  };
  return { clock, store, sales, settlement, inventoryCentre, deps, depsWith, places, claim };
}

describe('keeping a sale', () => {
  it('does nothing with a draft', async () => {
    const world = await newWorld(5);
    expect(await keepSale(world.deps, 'skin')).toBe('kept');
    expect(await world.places()).toEqual({ ...NOWHERE, free: 5 });
    expect(await keepSale(world.deps, 'absent')).toBe('absent');
  });

  for (const when of ['before', 'after'] as const) {
    it(`finishes what a crash ${when} any call of a publication left open`, async () => {
      for (let atCall = 1; ; atCall++) {
        const world = await newWorld(5);
        const { burn, wasMet } = fuse(atCall, when);
        const dying = world.depsWith(burn(world.store.gate), burn(world.inventoryCentre));
        await operateSale(dying, 'skin', 'publish').catch(() => undefined);
        if (!wasMet()) return expect(atCall).toBeGreaterThan(8);

        for (let round = 0; (await keepSale(world.deps, 'skin')) !== 'kept'; round++) expect(round).toBeLessThan(3);
        expect(await world.places()).toEqual({ ...NOWHERE, available: 5 });
        expect(await world.claim('ann')).toBe('claimed');
      }
    });
  }

  for (const when of ['before', 'after'] as const) {
    it(`brings back what is unsold, whatever call of a close a crash ${when} it cut off`, async () => {
      for (let atCall = 1; ; atCall++) {
        const world = await newWorld(5);
        await operateSale(world.deps, 'skin', 'publish');
        await world.claim('ann');
        const { burn, wasMet } = fuse(atCall, when);
        const dying = world.depsWith(burn(world.store.gate), burn(world.inventoryCentre));
        await operateSale(dying, 'skin', 'close').catch(() => undefined);
        if (!wasMet()) return expect(atCall).toBeGreaterThan(8);

        for (let round = 0; (await keepSale(world.deps, 'skin')) !== 'kept'; round++) expect(round).toBeLessThan(3);
        expect(await world.places()).toEqual({ ...NOWHERE, free: 4, claimed: 1 });
      }
    });

    it(`ends a withdrawal that a crash ${when} any call cut off, once`, async () => {
      for (let atCall = 1; ; atCall++) {
        const world = await newWorld(5);
        await operateSale(world.deps, 'skin', 'publish');
        const { burn, wasMet } = fuse(atCall, when);
        const dying = { ...world.depsWith(burn(world.store.gate), burn(world.inventoryCentre)), clock: world.clock };
        const request = { saleId: 'skin', delivery: 'van-1', units: 2 };
        await withdrawStock(dying, request).catch(() => undefined);
        if (!wasMet()) return expect(atCall).toBeGreaterThan(6);

        for (let round = 0; (await keepSale(world.deps, 'skin')) !== 'kept'; round++) expect(round).toBeLessThan(3);
        await withdrawStock({ ...world.deps, clock: world.clock }, request);
        await keepSale(world.deps, 'skin');
        expect(await world.places()).toEqual({ ...NOWHERE, available: 3 });
      }
    });
  }

  it('counts what was debited at a gate that was lost in its next load; a late finish changes nothing', async () => {
    const world = await newWorld(5);
    await operateSale(world.deps, 'skin', 'publish');
    const quota = { ...SEGMENT, channel: 'main' };
    const issued = await world.inventoryCentre.issueReturn({ moveId: 'back', quota, units: 3 });
    if (issued.kind !== 'issued') throw new Error(issued.kind);
    const debit = { moveId: 'back', epoch: issued.move.epoch, channel: 'main', units: 3 };
    expect(await world.store.gate.debit(await world.deps.session.call(SEGMENT), debit)).toMatchObject({ units: 3 });
    // In transit as far as the gate says, and sold out is not what an empty gate means now.
    expect(await world.places()).toEqual({ ...NOWHERE, available: 2, inTransit: 3 });
    for (const buyer of ['ann', 'bob']) expect(await world.claim(buyer)).toBe('claimed');
    expect(await judgeOf(world.deps, world.clock).judge('skin')).toBe('units_left');

    world.store.lose();
    expect(await keepSale(world.deps, 'skin')).toBe('kept');
    expect(await world.places()).toEqual({ ...NOWHERE, available: 5 });
    await world.inventoryCentre.finishReturn('back', 3);
    expect(await world.places()).toEqual({ ...NOWHERE, available: 5 });
  });

  it('rebuilds a gate that lost everything from what the ledger has', async () => {
    const world = await newWorld(5);
    await operateSale(world.deps, 'skin', 'publish');
    await world.claim('settled');
    await world.settlement.settle((await world.store.queue.read('me', 10)).map((entry) => entry.claim));
    await world.claim('unsettled');
    world.store.lose();
    expect(await world.claim('too-soon')).toBe('not_ready');

    expect(await keepSale(world.deps, 'skin')).toBe('kept');
    expect(await world.places()).toEqual({ ...NOWHERE, available: 4, held: 1 });
    expect(await world.claim('settled')).toBe('replayed');
    // Nobody was told that it had succeeded, and its units are there again.
    expect(await world.claim('unsettled')).toBe('claimed');
  });

  it('carries a change of state to the gate', async () => {
    const world = await newWorld(5);
    await operateSale(world.deps, 'skin', 'publish');
    for (const [operation, answer] of [
      ['pause', 'paused'],
      ['resume', 'claimed'],
      ['close', 'closed'],
    ] as const) {
      await world.sales.operate('skin', operation);
      await keepSale(world.deps, 'skin');
      expect(await world.claim(`at-${operation}`)).toBe(answer);
    }
  });
});

describe('an empty quota', () => {
  it('is judged once for all who ask within half a second, and by what the whole sale has', async () => {
    const world = await newWorld(1);
    await operateSale(world.deps, 'skin', 'publish');
    let reads = 0;
    const counted = {
      ...world.inventoryCentre,
      stock: (...args: Parameters<InventoryCentre['stock']>) => {
        reads++;
        return world.inventoryCentre.stock(...args);
      },
    };
    const judge = judgeOf({ ...world.deps, inventoryCentre: counted }, world.clock);
    expect(await judge.judge('skin')).toBe('units_left');
    await world.claim('ann');
    const readsBefore = reads;
    expect(await Promise.all(Array.from({ length: 1_000 }, () => judge.judge('skin')))).not.toContain('sold_out');
    expect(reads).toBe(readsBefore);
    world.clock.advance(VERDICT_MS);
    expect(await judge.judge('skin')).toBe('none_left_now');
  });
});

describe('reading places', () => {
  it('is not deceived by units that a gate gives up while the ledger is read', async () => {
    const world = await newWorld(3);
    await operateSale(world.deps, 'skin', 'publish');
    const quota = { ...SEGMENT, channel: 'main' };
    let stocks = 0;
    const racing: InventoryCentre = {
      ...world.inventoryCentre,
      async stock(saleId, claims) {
        stocks += 1;
        // Between the first look at the gate and the look at the ledger.
        if (stocks === 2) {
          await world.inventoryCentre.issueReturn({ moveId: 'back', quota, units: null });
          const debit = { moveId: 'back', epoch: 1, channel: 'main', units: null };
          await world.store.gate.debit(await world.deps.session.call(SEGMENT), debit);
          await world.inventoryCentre.finishReturn('back', 3);
        }
        return world.inventoryCentre.stock(saleId, claims);
      },
    };
    const reading = readPlaces({ ...world.deps, inventoryCentre: racing, clock: world.clock }, 'skin');
    const tick = setInterval(() => world.clock.advance(20), 1);
    expect(await reading).toMatchObject({ reading: { isStill: true, isBalanced: true, places: { free: 3 } } });
    clearInterval(tick);
    expect(stocks).toBeGreaterThan(2);
  });

  it('counts a claim that the ledger has but the gate was not told of once, as held', async () => {
    const world = await newWorld(3);
    await operateSale(world.deps, 'skin', 'publish');
    await world.claim('ann');
    expect(await world.places()).toEqual({ ...NOWHERE, available: 2, claimed: 1 });
    await world.settlement.settle((await world.store.queue.read('me', 10)).map((entry) => entry.claim));
    expect(await world.places()).toEqual({ ...NOWHERE, available: 2, held: 1 });
  });

  it('does not call a gate that is gone a difference', async () => {
    const world = await newWorld(3);
    await operateSale(world.deps, 'skin', 'publish');
    world.store.lose();
    const result = readPlaces({ ...world.deps, clock: world.clock }, 'skin');
    const tick = setInterval(() => world.clock.advance(20), 1);
    expect(await result).toEqual({ kind: 'not_read' });
    clearInterval(tick);
  });
});
