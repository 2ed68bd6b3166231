/** What every gate promises of sales that share one purchase limit: it counts what it has of the others, and keeps no count. */
import { describe, expect, test } from 'vitest';
import { SALE_STATES } from '../domain/sale/sale.ts';
import {
  markOfClaim,
  newSegment,
  type OpenSegment,
  openSegment,
  request,
  requests,
  type SegmentOptions,
  type StoreUnderTest,
} from './store-fixture.contract.ts';

/** Two sales of one group; the limit is 2. */
export async function openPair(
  store: StoreUnderTest,
  options: SegmentOptions = {},
): Promise<readonly [OpenSegment, OpenSegment]> {
  const limitGroup = newSegment().saleId;
  const terms = { limitGroup, ...options.terms };
  return [await openSegment(store, { ...options, terms }), await openSegment(store, { ...options, terms })];
}

export function gateGroupsContract(store: () => StoreUnderTest): void {
  describe('of sales in one limit group', () => {
    const ann = { buyerId: 'ann' };

    test('counts what a buyer has in the others, and names those orders', async () => {
      const [first, second] = await openPair(store());
      const claim = await first.win(request({ ...ann, units: 1 }));
      const own = await second.win(request({ ...ann, units: 1 }));
      const liveOrderIds = [own.orderId, claim.orderId];
      expect(await second.claimOne(request(ann))).toEqual({ kind: 'over_limit', liveOrderIds });
      expect(await first.claimOne(request(ann))).toEqual({
        kind: 'over_limit',
        liveOrderIds: liveOrderIds.toReversed(),
      });
      expect(await second.available()).toBe(9);
      await second.win(request({ buyerId: 'bob', units: 2 }));
    });

    test('judges each claim of a call by what its buyer has', async () => {
      const [first, second] = await openPair(store());
      await first.win(request({ ...ann, units: 2 }));
      await first.win(request({ buyerId: 'bob', units: 1 }));
      const batch = [request(ann), request({ buyerId: 'bob' }), request({ buyerId: 'bob' }), ...requests(3)];
      const kinds = (await second.claim(batch)).map(({ kind }) => kind);
      expect(kinds).toEqual(['over_limit', 'claimed', 'over_limit', 'claimed', 'claimed', 'claimed']);
    });

    test('counts live claims only, settled or not', async () => {
      const [first, second] = await openPair(store());
      const claim = await first.win(request({ ...ann, units: 2 }));
      await store().gate.markSettled(await first.call(), [claim]);
      expect(await second.claimOne(request(ann))).toMatchObject({ kind: 'over_limit' });
      await first.release(claim, 1, 'centre');
      expect(await second.claimOne(request(ann))).toMatchObject({ kind: 'claimed' });
    });

    test.each(SALE_STATES)('counts those of a sale that is %s', async (state) => {
      const [first, second] = await openPair(store());
      await first.win(request({ ...ann, units: 2 }));
      await first.setTerms({ version: 2, state });
      expect(await second.claimOne(request(ann))).toMatchObject({ kind: 'over_limit' });
    });

    test('answers a win again, whatever the buyer has in the others', async () => {
      const [first, second] = await openPair(store());
      const wanted = request({ ...ann, units: 1 });
      await second.win(wanted);
      await first.win(request({ ...ann, units: 1 }));
      expect(await second.claimOne(wanted)).toMatchObject({ kind: 'replayed' });
      expect(await second.claimOne({ ...wanted, units: 2 })).toEqual({ kind: 'content_differs', units: 1 });
    });

    test('takes an order of another sale for no order of its own', async () => {
      const [first, second] = await openPair(store());
      const wanted = request({ ...ann, units: 2 });
      await first.win(wanted);
      expect(await second.claimOne(wanted)).toEqual({ kind: 'over_limit', liveOrderIds: [wanted.orderId] });
    });

    test('holds late money to the limit, too', async () => {
      const [first, second] = await openPair(store());
      const wanted = request({ ...ann, units: 1 });
      await first.release(await first.win(wanted));
      await second.win(request({ ...ann, units: 2 }));
      expect(await first.claimOne({ ...wanted, isForLateMoney: true })).toMatchObject({ kind: 'over_limit' });
    });

    test('counts nothing of another group, region or part of the buyers, nor of a sale that is called like the group', async () => {
      const [first] = await openPair(store());
      const { limitGroup = '' } = first.terms;
      const { saleId } = newSegment();
      const terms = { limitGroup };
      const apart = [
        await openSegment(store()),
        await openSegment(store(), { terms: { limitGroup: 'other' } }),
        await openSegment(store(), { segment: { saleId, region: 'main', segment: 1 }, terms }),
        await openSegment(store(), { segment: { saleId, region: 'far', segment: 0 }, terms }),
        await openSegment(store(), { segment: { saleId: limitGroup, region: 'main', segment: 0 } }),
      ];
      for (const segment of [first, ...apart]) await segment.win(request({ ...ann, units: 2 }));
    });

    test('sells on when another was lost, and counts it again from its next load', async () => {
      const [first, second] = await openPair(store());
      const claim = await first.win(request({ ...ann, units: 2 }));
      await store().lose();
      await second.load({ epoch: 2 });
      await second.win(request({ ...ann, units: 1 }));
      await first.load({ epoch: 2, marks: [markOfClaim(claim, 'settled')] });
      expect(await second.claimOne(request(ann))).toMatchObject({ kind: 'over_limit' });
      expect(await first.claimOne(request(ann))).toMatchObject({ kind: 'over_limit' });
    });

    test('forgets with a load what the load does not have', async () => {
      const [first, second] = await openPair(store());
      await first.win(request({ ...ann, units: 2 }));
      await first.load({ epoch: 2 });
      await second.win(request({ ...ann, units: 2 }));
      expect((await first.view()).terms).toEqual(first.terms);
    });

    test('queues, credits and debits each sale by itself', async () => {
      const [first, second] = await openPair(store());
      await first.win(request());
      await second.credit('move', 5);
      await second.debit('back', 2);
      expect([await first.available(), await second.available()]).toEqual([9, 13]);
      expect([(await first.queued()).length, (await second.queued()).length]).toEqual([1, 0]);
      const entries = await store().queue.read('reader', 10);
      expect(entries.map(({ claim }) => claim.saleId)).toEqual([first.key.saleId]);
      await store().queue.remove(entries.map(({ claim }) => claim));
      expect(await first.queued()).toEqual([]);
    });
  });
}
