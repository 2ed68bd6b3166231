import { describe, expect, it } from 'vitest';
import { createManualClock } from '../../adapters/memory/manual-clock.ts';
import { newWorkerWorld, turns } from '../worker-world.contract.ts';
import { type CeilingBounds, createSettlementCeiling, NO_CEILING } from './settlement-ceiling.ts';
import { settlementWithCeiling } from './settlement-with-ceiling.ts';

function newCeiling(bounds: Partial<CeilingBounds>) {
  const clock = createManualClock(0);
  const ceiling = createSettlementCeiling(clock, { ...NO_CEILING, ...bounds });
  const settle = (claims: number, durationMs: number) => {
    clock.advance(durationMs);
    ceiling.spent({ claims, durationMs });
  };
  return { clock, ceiling, settle };
}

describe('the ceiling of settlement', () => {
  it('is not there when it is not set', () => {
    const { ceiling, settle } = newCeiling({});
    for (let group = 0; group < 50; group++) settle(500, 5_000);
    expect([ceiling.restMs(), ceiling.groupClaims()]).toEqual([0, 500]);
    expect(ceiling.read()).toEqual({ ordersPerSecond: 0, transactionsPerSecond: 0, groupClaims: 500 });
  });

  it('counts what a settlement took as part of the rest, and owes nothing after it', () => {
    const { clock, ceiling, settle } = newCeiling({ settleOrdersPerSecond: 100 });
    expect([ceiling.restMs(), ceiling.groupClaims()]).toEqual([0, 10]);
    settle(10, 30);
    expect(ceiling.restMs()).toBe(70);
    clock.advance(70);
    expect(ceiling.restMs()).toBe(0);
    settle(1, 30);
    expect(ceiling.restMs()).toBe(0);
  });

  it('saves nothing up while it is idle', () => {
    const { clock, ceiling, settle } = newCeiling({ settleOrdersPerSecond: 100 });
    clock.advance(3_600_000);
    settle(10, 0);
    expect(ceiling.restMs()).toBe(100);
  });

  it('bounds transactions, and makes groups as large as the orders’ ceiling needs them', () => {
    const { ceiling, settle } = newCeiling({ settleOrdersPerSecond: 400, settleTransactionsPerSecond: 2 });
    expect(ceiling.groupClaims()).toBe(200);
    settle(1, 10);
    expect(ceiling.restMs()).toBe(490);
  });

  it('owes for a group that was settled in several transactions', () => {
    const { ceiling, settle } = newCeiling({ settleTransactionsPerSecond: 10 });
    for (let part = 0; part < 5; part++) settle(1, 0);
    expect(ceiling.restMs()).toBe(500);
  });

  it('is lowered while SQL is slow, with smaller groups, and rises again by itself', () => {
    const { clock, ceiling, settle } = newCeiling({ settleTransactionsPerSecond: 50, settleTargetMs: 100 });
    for (let group = 0; group < 20; group++) settle(ceiling.groupClaims(), 20);
    expect(ceiling.read()).toEqual({ ordersPerSecond: 25_000, transactionsPerSecond: 50, groupClaims: 500 });

    for (let group = 0; group < 20; group++) {
      settle(ceiling.groupClaims(), 200);
      // Never longer than the work itself.
      expect(ceiling.restMs()).toBeLessThanOrEqual(200);
      clock.advance(ceiling.restMs());
    }
    const slow = ceiling.read();
    expect(slow.groupClaims).toBe(32);
    expect(slow.transactionsPerSecond).toBeCloseTo(2.5, 1);

    for (let group = 0; group < 30; group++) settle(ceiling.groupClaims(), 20);
    expect(ceiling.read()).toMatchObject({ transactionsPerSecond: 50, groupClaims: 500 });
  });

  it('takes one slow transaction among quick ones for what it is', () => {
    const { ceiling, settle } = newCeiling({ settleTargetMs: 100 });
    for (let group = 0; group < 20; group++) settle(200, 10);
    settle(200, 250);
    expect([ceiling.restMs(), ceiling.groupClaims()]).toEqual([0, 500]);
  });

  it('rests for a second at most, however slow the ledger is', () => {
    const { ceiling, settle } = newCeiling({ settleTargetMs: 100 });
    for (let group = 0; group < 20; group++) settle(1, 10_000);
    expect(ceiling.restMs()).toBe(1_000);
  });
});

describe('a worker below a ceiling', () => {
  const PER_SECOND = 100;

  async function settleCrowd(claims: number, bounds: Partial<CeilingBounds>) {
    const world = await newWorkerWorld(claims);
    const { clock, settlement } = world;
    const ceiling = createSettlementCeiling(clock, { ...NO_CEILING, ...bounds });
    const settledAtMs: number[] = [];
    const counted = {
      ...settlement,
      async settle(group: Parameters<typeof settlement.settle>[0]) {
        for (const _ of group) settledAtMs.push(clock.monotonicMs());
        return settlement.settle(group);
      },
    };
    const worker = world.newWorker(settlementWithCeiling(counted, ceiling, clock), ceiling);
    worker.start();
    await turns();
    const ids = Array.from({ length: claims }, (_, index) => `o${index}`);
    for (let from = 0; from < claims; from += 200) await world.claim(...ids.slice(from, from + 200));
    await turns();
    return { ...world, worker, ceiling, settledAtMs };
  }

  it('brings a peak of a hundred times the ceiling to the ledger as a flat line, and none waits longer than it must', async () => {
    const claims = PER_SECOND * 100;
    const { clock, settledAtMs, worker, queue, rests } = await settleCrowd(claims, {
      settleOrdersPerSecond: PER_SECOND,
    });
    for (let step = 0; step < 1_010; step++) {
      clock.advance(100);
      await turns(8);
    }
    expect(settledAtMs).toHaveLength(claims);
    expect(await queue.depth()).toMatchObject({ entries: 0 });
    for (let index = 0; index < claims; index++) {
      const dueAtMs = (index * 1_000) / PER_SECOND;
      expect(settledAtMs[index]).toBeGreaterThan(dueAtMs - 101);
      expect(settledAtMs[index]).toBeLessThanOrEqual(dueAtMs + 101);
    }
    expect(rests.length).toBeGreaterThan(900);
    await worker.stop();
  }, 60_000);

  it('settles what comes while nothing is owed at once', async () => {
    const world = await settleCrowd(1, { settleOrdersPerSecond: 1 });
    expect(world.settledAtMs).toEqual([0]);
    world.clock.advance(1_000);
    await turns();
    expect(await world.places()).toMatchObject({ held: 1 });
    await world.worker.stop();
  });

  it('is stopped in the middle of a rest, and rests no more once the ceiling is lifted', async () => {
    const { worker, ceiling, settledAtMs, clock } = await settleCrowd(40, { settleOrdersPerSecond: 10 });
    expect(settledAtMs).toHaveLength(1);
    ceiling.lift();
    clock.advance(100);
    await turns();
    expect(settledAtMs).toHaveLength(40);
    await worker.stop();
    const other = await settleCrowd(40, { settleOrdersPerSecond: 1 });
    await other.worker.stop();
    expect(other.settledAtMs).toHaveLength(1);
  });
});
