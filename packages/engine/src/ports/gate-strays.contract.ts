/** What every gate promises of claims whose entries are gone. */
import { describe, expect, test } from 'vitest';
import { type Claim, claimId } from '../domain/order/claim.ts';
import { TAKE_OVER_AFTER_MS } from './queue.ts';
import {
  claimsOf,
  markOfClaim,
  type OpenSegment,
  openSegment,
  request,
  requests,
  type StoreUnderTest,
} from './store-fixture.contract.ts';

export function gateStraysContract(store: () => StoreUnderTest): void {
  const strays = async ({ key }: OpenSegment): Promise<Claim[]> => {
    const found = new Map<string, Claim>();
    for (let from: string | null = null; ; ) {
      const page = await store().gate.strays(key, from);
      for (const claim of page.strays) found.set(claimId(claim), claim);
      if (page.next === null) return [...found.values()].sort((a, b) => a.origin.seq - b.origin.seq);
      from = page.next;
    }
  };
  const requeue = async (segment: OpenSegment, claims: readonly Claim[]) =>
    store().gate.requeue(await segment.call(), claims);
  const read = async (): Promise<Claim[]> =>
    (await store().queue.read('a', 1_000)).map((entry) => entry.claim).sort((a, b) => a.origin.seq - b.origin.seq);

  describe('claims whose entries are gone', () => {
    test('are found among many, and no others are', async () => {
      const segment = await openSegment(store(), { units: 10_000 });
      const made: Claim[] = [];
      for (let call = 0; call < 6; call += 1) made.push(...claimsOf(await segment.claim(requests(250))));
      expect(await strays(segment)).toEqual([]);
      const lost = made.filter((_, at) => at % 7 === 0);
      await store().queue.remove(lost);
      expect(await strays(segment)).toEqual(lost);
      await store().gate.markSettled(await segment.call(), lost.slice(1));
      expect(await strays(segment)).toEqual(lost.slice(0, 1));
      await segment.release(lost[0] as Claim);
      expect(await strays(segment)).toEqual([]);
    });

    test('are told beside those that were seen queued', async () => {
      const segment = await openSegment(store(), { units: 10_000 });
      const made = claimsOf(await segment.claim(requests(6)));
      const lost = made.filter((_, at) => at % 2 === 0);
      await store().queue.remove(lost);
      const queued = new Set(await segment.queued());
      expect(queued.size).toBe(3);
      const { strays: told } = await store().gate.strays(segment.key, null, queued);
      expect(told.toSorted((a, b) => a.origin.seq - b.origin.seq)).toEqual(lost);
    });

    test('are told with the last claim, and whether anything is unsettled', async () => {
      const segment = await openSegment(store());
      const look = () => store().gate.strays(segment.key, null);
      expect(await look()).toEqual({ strays: [], position: { epoch: 1, seq: 0 }, isWaiting: false, next: null });
      const claim = await segment.win(request());
      expect(await look()).toMatchObject({ strays: [], position: { epoch: 1, seq: 1 }, isWaiting: true });
      await store().gate.markSettled(await segment.call(), [claim]);
      expect(await look()).toMatchObject({ strays: [], isWaiting: false });
      await store().lose();
      expect(await look()).toEqual({ strays: [], position: null, isWaiting: false, next: null });
    });

    test('P14: come again as the claims they are, once, and can be removed', async () => {
      const segment = await openSegment(store(), {
        availableUnits: new Map([
          ['web', 9],
          ['the app', 9],
        ]),
      });
      const [first, second] = claimsOf(
        await segment.claim([request({ channel: 'the app', units: 2 }), ...requests(2)]),
      ) as [Claim, Claim];
      expect(await read()).toHaveLength(3);
      await store().queue.remove([first, second]);
      for (const _ of [1, 2]) expect(await requeue(segment, [first, second])).toBe('requeued');
      expect(await strays(segment)).toEqual([]);
      expect(await read()).toEqual([first, second]);
      expect(await store().queue.depth()).toMatchObject({ entries: 3 });
      expect((await segment.view()).unsettled).toHaveLength(3);

      // A reader that died leaves them to others.
      await store().pass(TAKE_OVER_AFTER_MS);
      expect((await read()).slice(0, 2)).toEqual([first, second]);
      await store().queue.remove([first]);
      expect(await store().queue.depth()).toMatchObject({ entries: 2 });
      expect(await strays(segment)).toEqual([first]);
      expect(await requeue(segment, [first])).toBe('requeued');
      expect(await read()).toEqual([first]);
    });

    test('are never in the way of later ones, and take no units', async () => {
      const segment = await openSegment(store(), { units: 10 });
      const claim = await segment.win(request());
      await store().queue.remove([claim]);
      await requeue(segment, [claim]);
      const later = await segment.win(request());
      expect(later.origin.seq).toBeGreaterThan(claim.origin.seq);
      expect(await segment.available()).toBe(8);
      expect((await segment.queued()).toSorted()).toEqual([claimId(claim), claimId(later)].toSorted());
      expect((await segment.view()).unsettled).toHaveLength(2);
    });

    test('keep their place through a load', async () => {
      const segment = await openSegment(store());
      const claims = claimsOf(await segment.claim(requests(3)));
      const [first, second, third] = claims as [Claim, Claim, Claim];
      await store().queue.remove([first]);
      await requeue(segment, [first]);
      await store().queue.remove([second]);
      await segment.load({ epoch: 2, marks: claims.map((claim) => markOfClaim(claim, 'claimed')) });
      expect(await strays(segment)).toEqual([second]);
      await requeue(segment, claims);
      expect(await read()).toEqual([first, second, third]);
      await store().queue.remove(claims);
      expect(await segment.queued()).toEqual([]);
    });

    test('come again only while they are unsettled', async () => {
      const segment = await openSegment(store());
      const [settled, ended] = claimsOf(await segment.claim(requests(2))) as [Claim, Claim];
      await store().gate.markSettled(await segment.call(), [settled]);
      await segment.release(ended);
      await store().queue.remove([settled, ended]);
      const { position } = await segment.view();
      const strange = { ...ended, orderId: 'another' };
      const elsewhere = { ...settled, origin: { ...settled.origin, channel: 'app' } };
      expect(await requeue(segment, [settled, ended, strange, elsewhere])).toBe('requeued');
      expect(await segment.queued()).toEqual([]);
      expect((await segment.view()).position).toEqual(position);
    });

    test('P2: are left when the call is late, or means another server', async () => {
      const segment = await openSegment(store());
      const claim = await segment.win(request());
      await store().queue.remove([claim]);
      const late = await segment.call({ deadlineMs: (await store().nowMs()) - 1 });
      expect(await store().gate.requeue(late, [claim])).toBe('late');
      expect(await store().gate.requeue(await segment.call({ identity: 'another' }), [claim])).toBe('not_ready');
      expect(await segment.queued()).toEqual([]);
    });

    test('wake those who listen', async () => {
      const segment = await openSegment(store());
      const claim = await segment.win(request());
      await store().queue.remove([claim]);
      let woken = 0;
      const end = store().queue.onArrival(() => {
        woken += 1;
      });
      // What the claim itself has told may still be on its way.
      await expect
        .poll(async () => {
          await requeue(segment, [claim]);
          await store().queue.remove([claim]);
          return woken;
        })
        .toBeGreaterThan(2);
      end();
    });
  });
}
