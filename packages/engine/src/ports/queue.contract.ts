/** What every queue promises. Entries come from the gate beside it: there is no other way to put one in. */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { segmentName } from '../domain/inventory/quota.ts';
import { type Claim, claimId } from '../domain/order/claim.ts';
import { type QueueEntry, TAKE_OVER_AFTER_MS } from './queue.ts';
import {
  claimsOf,
  type OpenSegment,
  openSegment,
  request,
  requests,
  type StoreSubject,
  type StoreUnderTest,
} from './store-fixture.contract.ts';

const SEED = Number(process.env.TEST_SEED ?? Date.now() % 2 ** 31);
const SEQUENCES = Number(process.env.TEST_RUNS ?? 100);
/** Many calls over a socket, on a machine that has other work. */
const SEQUENCES_TAKE_MS = 240_000;

export function queueContract(subject: StoreSubject): void {
  describe(`the ${subject.name} queue`, () => {
    let store: StoreUnderTest;
    beforeEach(async () => {
      store = await subject.open();
    });
    afterEach(() => store.close());

    const open = (): Promise<OpenSegment> => openSegment(store, { units: 10_000 });
    const claimMany = async (segment: OpenSegment, count: number): Promise<Claim[]> =>
      claimsOf(await segment.claim(requests(count)));
    const read = async (consumer: string, max = 100): Promise<Claim[]> => claims(await store.queue.read(consumer, max));
    const claims = (entries: readonly QueueEntry[]): Claim[] => entries.map((entry) => entry.claim);

    test('is empty at first', async () => {
      expect(await read('a')).toEqual([]);
      expect(await store.queue.depth()).toEqual({ entries: 0, oldestAgeMs: null });
      expect(await store.queue.peek((await open()).key)).toEqual([]);
    });

    test('gives what was claimed, in order, with the time of the claim', async () => {
      const segment = await open();
      const first = await claimMany(segment, 2);
      const claimedAtMs = await store.nowMs();
      await store.pass(5);
      const second = await claimMany(segment, 1);
      expect(await store.queue.read('a', 100)).toEqual([
        ...first.map((claim) => ({ claim, claimedAtMs })),
        ...second.map((claim) => ({ claim, claimedAtMs: claimedAtMs + 5 })),
      ]);
    });

    test('looks into what holds something, also when its sale is over', async () => {
      const segment = await open();
      await store.queue.retire([segment.key]);
      const made = await claimMany(segment, 2);
      await store.queue.retire([segment.key]);
      expect(await store.queue.depth()).toMatchObject({ entries: 2 });
      expect(await read('a')).toEqual(made);
      await store.queue.remove(made);
      for (const _ of [1, 2]) await store.queue.retire([segment.key]);
      expect(await store.queue.depth()).toEqual({ entries: 0, oldestAgeMs: null });
    });

    test('gives no more than was asked for, and goes on where it stopped', async () => {
      const made = await claimMany(await open(), 5);
      expect(await read('a', 2)).toEqual(made.slice(0, 2));
      expect(await read('b', 2)).toEqual(made.slice(2, 4));
      expect(await read('a', 2)).toEqual(made.slice(4));
      expect(await read('a', 0)).toEqual([]);
    });

    test('gives those of the segments that are wanted, and keeps the others for who wants them', async () => {
      const [mine, theirs] = [await open(), await open()];
      const [made, others] = [await claimMany(mine, 3), await claimMany(theirs, 2)];
      const wanted = await store.queue.read('a', 100, (segment) => segmentName(segment) === segmentName(mine.key));
      expect(claims(wanted)).toEqual(made);
      expect(await read('b')).toEqual(others);
    });

    test('gives an entry to one reader as long as it may still be at work', async () => {
      const made = await claimMany(await open(), 3);
      expect(await read('a')).toEqual(made);
      await store.pass(TAKE_OVER_AFTER_MS - 1);
      expect(await read('b')).toEqual([]);
      expect(await read('a')).toEqual([]);
    });

    test.each(['a', 'b'])('gives again what a reader left behind, to %s', async (taker) => {
      const made = await claimMany(await open(), 3);
      await read('a');
      await store.pass(TAKE_OVER_AFTER_MS);
      expect(await read(taker)).toEqual(made);
      // Taken over is leased anew.
      expect(await read('c')).toEqual([]);
      await store.pass(TAKE_OVER_AFTER_MS);
      expect(await read('c')).toEqual(made);
    });

    test('goes on giving again until an entry is removed', async () => {
      const [first, second] = await claimMany(await open(), 2);
      for (let round = 0; round < 5; round++) {
        expect(await read(`reader-${round}`)).toEqual([first, second]);
        await store.pass(TAKE_OVER_AFTER_MS);
      }
      await store.queue.remove([first as Claim]);
      expect(await read('last')).toEqual([second]);
    });

    test('keeps the order of a segment when old and new entries come together', async () => {
      const segment = await open();
      const made = await claimMany(segment, 4);
      await read('a', 2);
      await store.pass(1);
      await read('b', 2);
      made.push(...(await claimMany(segment, 2)));
      await store.pass(TAKE_OVER_AFTER_MS - 1);
      // Reader a has been silent for long enough, reader b has not.
      expect(await read('c', 3)).toEqual([...made.slice(0, 2), ...made.slice(4, 5)]);
      await store.pass(1);
      expect(await read('c', 3)).toEqual([...made.slice(2, 4), ...made.slice(5)]);
    });

    test('removes by name what was read and what was not, and nothing else', async () => {
      const made = await claimMany(await open(), 4);
      await read('a', 2);
      await store.queue.remove(made.filter((_, at) => at % 2 === 0));
      expect(await store.queue.depth()).toMatchObject({ entries: 2 });
      await store.pass(TAKE_OVER_AFTER_MS);
      expect(await read('b')).toEqual(made.filter((_, at) => at % 2 === 1));
    });

    test('ignores names that it does not have', async () => {
      const segment = await open();
      const [claim, removed] = await claimMany(segment, 2);
      if (!claim || !removed) throw new Error('two claims were made');
      await store.queue.remove([removed]);
      const { origin } = claim;
      await store.queue.remove([
        removed,
        { ...claim, saleId: 'another' },
        { ...claim, origin: { ...origin, seq: 9 } },
        { ...claim, origin: { ...origin, epoch: 9 } },
      ]);
      expect(await segment.queued()).toEqual([claimId(claim)]);
    });

    test('shows every entry of one segment, read or not', async () => {
      const [first, second] = [await open(), await open()];
      const made = await claimMany(first, 3);
      await claimMany(second, 2);
      await read('a', 4);
      expect(claims(await store.queue.peek(first.key))).toEqual(made);
      await store.queue.remove(made.slice(0, 1));
      expect(claims(await store.queue.peek(first.key))).toEqual(made.slice(1));
    });

    test('tells how many wait and for how long the oldest has', async () => {
      const [first, second] = [await open(), await open()];
      const old = await claimMany(first, 1);
      await store.pass(30);
      const young = await claimMany(second, 2);
      await store.pass(10);
      expect(await store.queue.depth()).toEqual({ entries: 3, oldestAgeMs: 40 });
      await read('a');
      expect(await store.queue.depth()).toEqual({ entries: 3, oldestAgeMs: 40 });
      await store.queue.remove(old);
      expect(await store.queue.depth()).toEqual({ entries: 2, oldestAgeMs: 10 });
      await store.queue.remove(young);
      expect(await store.queue.depth()).toEqual({ entries: 0, oldestAgeMs: null });
    });

    test('serves every segment, however busy one is', async () => {
      const segments = [await open(), await open(), await open()];
      for (const segment of segments) await claimMany(segment, 100);
      const met = new Set<string>();
      for (let turn = 0; turn < 3; turn++) for (const claim of await read('a', 50)) met.add(claim.saleId);
      expect(met.size).toBe(3);
    });

    test('wakes those who listen when there is something to read, and only then', async () => {
      const segment = await open();
      let woken = 0;
      const end = store.queue.onArrival(() => {
        woken += 1;
      });
      await segment.claim([request({ units: 3 }), request({ channel: 'absent' })]);
      expect(woken).toBe(0);
      await claimMany(segment, 5);
      await expect.poll(() => woken).toBeGreaterThan(0);
      end();
      const before = woken;
      await claimMany(segment, 5);
      expect(woken).toBe(before);
    });

    test('finds what it is woken for', async () => {
      const segment = await open();
      const found: Promise<Claim[]>[] = [];
      store.queue.onArrival(() => {
        found.push(read('a'));
      });
      const made = await claimMany(segment, 5);
      await expect.poll(() => found.length).toBeGreaterThan(0);
      expect((await Promise.all(found)).flat()).toEqual(made);
    });

    test('keeps its entries through a load, in front of later ones', async () => {
      const segment = await open();
      const made = await claimMany(segment, 3);
      await read('a', 1);
      await segment.load({ epoch: 2 });
      made.push(...(await claimMany(segment, 2)));
      expect(await segment.queued()).toEqual(made.map(claimId));
      await store.pass(TAKE_OVER_AFTER_MS);
      expect(await read('b')).toEqual(made);
      await store.queue.remove(made.slice(0, 3));
      expect(await segment.queued()).toEqual(made.slice(3).map(claimId));
    });

    test('loses everything with its server', async () => {
      const segment = await open();
      const made = await claimMany(segment, 3);
      await read('a', 1);
      await store.lose();
      expect(await store.queue.depth()).toEqual({ entries: 0, oldestAgeMs: null });
      expect(await segment.queued()).toEqual([]);
      await store.pass(TAKE_OVER_AFTER_MS);
      expect(await read('b')).toEqual([]);
      await store.queue.remove(made);
      await segment.load({ epoch: 2 });
      expect(await read('b')).toEqual(await claimMany(segment, 0));
    });

    test(
      'gives every entry until it is removed, in order, on any sequence',
      async () => {
        const step = fc.oneof(
          fc.record({
            kind: fc.constant('claim' as const),
            segment: fc.nat({ max: 1 }),
            count: fc.integer({ min: 1, max: 4 }),
          }),
          fc.record({
            kind: fc.constant('read' as const),
            consumer: fc.constantFrom('a', 'b'),
            max: fc.integer({ min: 1, max: 5 }),
          }),
          fc.record({ kind: fc.constant('remove' as const), which: fc.array(fc.nat({ max: 30 }), { maxLength: 4 }) }),
          fc.record({
            kind: fc.constant('pass' as const),
            ms: fc.constantFrom(1, TAKE_OVER_AFTER_MS / 2, TAKE_OVER_AFTER_MS),
          }),
        );
        await fc.assert(
          fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
            const own = await subject.open();
            const segments = [await openSegment(own, { units: 1000 }), await openSegment(own, { units: 1000 })];
            const made: Claim[] = [];
            const here = new Map<string, { claim: Claim; leasedUntilMs: number }>();
            for (const each of steps) {
              const nowMs = await own.nowMs();
              if (each.kind === 'pass') await own.pass(each.ms);
              if (each.kind === 'claim') {
                for (const claim of claimsOf((await segments[each.segment]?.claim(requests(each.count))) ?? [])) {
                  made.push(claim);
                  here.set(claimId(claim), { claim, leasedUntilMs: Number.NEGATIVE_INFINITY });
                }
              }
              if (each.kind === 'remove') {
                const named = each.which.flatMap((number) => made[number] ?? []);
                await own.queue.remove(named);
                for (const claim of named) here.delete(claimId(claim));
              }
              if (each.kind === 'read') {
                const readable = [...here.values()].filter((entry) => entry.leasedUntilMs <= nowMs);
                const given = claims(await own.queue.read(each.consumer, each.max));
                expect(given).toHaveLength(Math.min(each.max, readable.length));
                for (const segment of segments) {
                  const ofSegment = (claim: Claim) => claim.saleId === segment.key.saleId;
                  const inOrder = readable.map((entry) => entry.claim).filter(ofSegment);
                  const givenHere = given.filter(ofSegment);
                  // The oldest that may be read, without a gap.
                  expect(givenHere).toEqual(inOrder.slice(0, givenHere.length));
                }
                for (const claim of given)
                  here.set(claimId(claim), { claim, leasedUntilMs: nowMs + TAKE_OVER_AFTER_MS });
              }
              for (const segment of segments) {
                const kept = made.filter((claim) => claim.saleId === segment.key.saleId && here.has(claimId(claim)));
                expect(claims(await own.queue.peek(segment.key))).toEqual(kept);
              }
              expect(await own.queue.depth()).toMatchObject({ entries: here.size });
            }
            await own.close();
          }),
          { seed: SEED, numRuns: SEQUENCES },
        );
      },
      SEQUENCES_TAKE_MS,
    );
  });
}
