/** The Redis store and the memory store, given the same calls at the same moments, answer and hold the same. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAIN_CHANNEL, type SegmentKey } from '../../domain/inventory/quota.ts';
import { type Claim, claimId } from '../../domain/order/claim.ts';
import { SALE_STATES, type SaleTerms } from '../../domain/sale/sale.ts';
import type { ClaimRequest, GateCall } from '../../ports/gate.ts';
import {
  CALL_MS,
  claimsOf,
  markOfClaim,
  newSegment,
  type OpenSegment,
  openSegment,
  type StoreSubject,
  type StoreUnderTest,
} from '../../ports/store-fixture.contract.ts';
import { memoryStoreSubject } from '../memory/store-subject.contract.ts';

const SEED = Number(process.env.TEST_SEED ?? Date.now() % 2 ** 31);
const SEQUENCES = Number(process.env.TEST_RUNS ?? 60);

const CHANNELS = ['app', 'web', 'über uns;', MAIN_CHANNEL];

const request: fc.Arbitrary<ClaimRequest> = fc
  .record({
    order: fc.nat({ max: 14 }),
    channel: fc.constantFrom(...CHANNELS, 'web', 'web', 'absent'),
    units: fc.integer({ min: 1, max: 4 }),
    isForLateMoney: fc.constantFrom(false, false, false, true),
  })
  // An order is always one buyer's: the token says so.
  .map(({ order, ...rest }) => ({ orderId: `order ${order};`, buyerId: `buyer-${order % 4}`, ...rest }));

const numbers = fc.array(fc.nat({ max: 99 }), { maxLength: 6 });
const what = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('claim' as const), batch: fc.array(request, { maxLength: 8 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      ...{ kind: fc.constant('credit' as const), moveId: fc.constantFrom('a', 'b', 'c', 'd') },
      ...{ channel: fc.constantFrom(...CHANNELS, 'absent'), units: fc.integer({ min: 1, max: 4 }) },
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('release' as const), claim: fc.nat({ max: 99 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('settle' as const, 'remove' as const), claims: numbers }) },
  {
    weight: 2,
    arbitrary: fc.record({
      ...{ kind: fc.constant('terms' as const), state: fc.constantFrom('live', 'live', 'live', ...SALE_STATES) },
      ...{
        version: fc.nat({ max: 3 }),
        limitUnits: fc.integer({ min: 2, max: 5 }),
        startsInMs: fc.integer({ min: -5, max: 5 }),
      },
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('load' as const), units: fc.nat({ max: 6 }), kept: numbers }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('read' as const), max: fc.integer({ min: 1, max: 9 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(1, 3, 10_000) }) },
);
const step = fc.record({
  what,
  caller: fc.constantFrom('in time', 'in time', 'in time', 'in time', 'late', 'foreign'),
  epochOffset: fc.constantFrom(0, 0, 0, 0, 1, -1),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** One of the two worlds: a store, its segment, and what was claimed there so far. */
interface World {
  readonly store: StoreUnderTest;
  readonly segment: OpenSegment;
  readonly made: Claim[];
  epoch: number;
}

async function openWorld(store: StoreUnderTest, key: SegmentKey, terms: Partial<SaleTerms>): Promise<World> {
  const availableUnits = new Map(CHANNELS.map((channel, at) => [channel, 3 * at]));
  const segment = await openSegment(store, { segment: key, availableUnits, terms });
  return { store, segment, made: [], epoch: 1 };
}

async function run(world: World, { what: each, caller, epochOffset }: Step): Promise<unknown> {
  const { store, segment, made } = world;
  const { gate, queue } = store;
  const nowMs = await store.nowMs();
  const call: GateCall = {
    segment: segment.key,
    identity: caller === 'foreign' ? 'another' : await gate.identity(segment.key, segment.terms.limitGroup),
    deadlineMs: caller === 'late' ? nowMs - 1 : nowMs + CALL_MS,
  };
  const named = (wanted: readonly number[]) => wanted.flatMap((at) => made[at % Math.max(1, made.length)] ?? []);
  const epoch = world.epoch + epochOffset;
  switch (each.kind) {
    case 'claim': {
      const outcomes = await gate.claim(call, each.batch);
      made.push(...claimsOf(outcomes));
      return outcomes;
    }
    case 'credit':
      return gate.credit(call, { moveId: each.moveId, channel: each.channel, units: each.units, epoch });
    case 'release': {
      const [claim] = named([each.claim]);
      return claim && gate.release(call, claim, epoch, 'quota');
    }
    case 'settle':
      return gate.markSettled(call, named(each.claims));
    case 'remove':
      return queue.remove(named(each.claims));
    case 'terms': {
      const { state, version, limitUnits, startsInMs } = each;
      return gate.setTerms(
        call,
        { ...segment.terms, state, version, limitUnits, startsAtMs: nowMs + startsInMs },
        epoch,
      );
    }
    case 'load': {
      const kept = [...new Set(named(each.kept))];
      const marks = kept.map((claim, at) =>
        markOfClaim(claim, (['claimed', 'settled', 'ended'] as const)[at % 3] ?? 'ended'),
      );
      const availableUnits = new Map(CHANNELS.map((channel, at) => [channel, each.units + at]));
      const load = { segment: segment.key, epoch: epoch + 1, terms: segment.terms, availableUnits, marks };
      const answer = await gate.load(call, load);
      if (answer === 'loaded') world.epoch = epoch + 1;
      return answer;
    }
    case 'read':
      return queue.read('reader', each.max);
    case 'pass':
      return store.pass(each.ms);
  }
}

/** Everything that can be seen of a world; sets have no order. */
async function sight({ store, segment }: World): Promise<unknown> {
  const { unsettled, identity: _identity, ...view } = await segment.view();
  return {
    ...view,
    unsettled: unsettled.map(claimId).toSorted(),
    queued: await store.queue.peek(segment.key),
    depth: await store.queue.depth(),
  };
}

export function agreesWithMemory(subject: StoreSubject, sequences = SEQUENCES): void {
  test(`agrees with the memory store on any sequence of calls to two sales of one limit group (seed ${SEED})`, async () => {
    const subjects = [memoryStoreSubject, subject];
    // Which segment a reader comes to first is each queue's own business.
    const call = fc.record({ sale: fc.nat({ max: 1 }), each: step.filter(({ what: { kind } }) => kind !== 'read') });
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 60, size: 'max' }), async (calls) => {
        const keys = [newSegment(), newSegment()];
        const stores = await Promise.all(subjects.map((each) => each.open()));
        const openAll = (store: StoreUnderTest) =>
          Promise.all(keys.map((key) => openWorld(store, key, { limitUnits: 3, limitGroup: 'über uns;' })));
        const worlds = await Promise.all(stores.map(openAll));
        for (const { sale, each } of calls) {
          const [memory, redis] = await Promise.all(worlds.map((both) => run(both[sale] as World, each)));
          expect(redis).toEqual(memory);
          const [held, heldByRedis] = await Promise.all(worlds.map((both) => Promise.all(both.map(sight))));
          expect(heldByRedis).toEqual(held);
        }
        for (const store of stores) await store.close();
      }),
      { seed: SEED, numRuns: sequences },
    );
  }, 240_000);

  test(`agrees with the memory store on any sequence of calls (seed ${SEED})`, async () => {
    const subjects = [memoryStoreSubject, subject];
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60, size: 'max' }), async (steps) => {
        const key = newSegment();
        const worlds: World[] = [];
        for (const each of subjects) {
          const store = await each.open();
          worlds.push(await openWorld(store, key, { limitUnits: 3 }));
        }
        for (const each of steps) {
          const [memory, redis] = await Promise.all(worlds.map((world) => run(world, each)));
          expect(redis).toEqual(memory);
          const [held, heldByRedis] = await Promise.all(worlds.map(sight));
          expect(heldByRedis).toEqual(held);
        }
        for (const { store } of worlds) await store.close();
      }),
      { seed: SEED, numRuns: sequences },
    );
  }, 240_000);
}
