import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ClaimMarks } from './claim-marks.ts';
import { newSegment, openSegment, request, type StoreUnderTest } from './store-fixture.contract.ts';

export interface ClaimMarksSubject {
  readonly name: string;
  open(): Promise<StoreUnderTest & { readonly marks: ClaimMarks }>;
}

export function claimMarksContract(subject: ClaimMarksSubject): void {
  describe(`the claim marks of the ${subject.name} gate`, () => {
    let store: StoreUnderTest & { readonly marks: ClaimMarks };
    beforeEach(async () => {
      store = await subject.open();
    });
    afterEach(() => store.close());

    test('tell a claim as it is: claimed, settled, ended', async () => {
      const segment = await openSegment(store);
      const { orderId, buyerId, units, origin } = await segment.win(request({ buyerId: 'ann', units: 2 }));
      const claim = { orderId, buyerId, units, origin, saleId: segment.key.saleId };
      const marks = () => store.marks.ofBuyer(segment.key, 'ann');
      expect(await marks()).toEqual([{ orderId, units, origin, state: 'claimed' }]);
      await store.gate.markSettled(await segment.call(), [claim]);
      expect(await marks()).toMatchObject([{ orderId, state: 'settled' }]);
      await segment.release(claim);
      expect(await marks()).toMatchObject([{ orderId, state: 'ended' }]);
    });

    test('are of one buyer, and of one segment', async () => {
      const [one, two] = [await openSegment(store), await openSegment(store)];
      const first = await one.win(request({ buyerId: 'ann' }));
      await one.win(request({ buyerId: 'bob' }));
      await two.win(request({ buyerId: 'ann' }));
      const second = await one.win(request({ buyerId: 'ann' }));
      const marks = await store.marks.ofBuyer(one.key, 'ann');
      expect(marks.map(({ orderId }) => orderId).toSorted()).toEqual([first.orderId, second.orderId].toSorted());
    });

    test('are none for who was only refused, and for what is not loaded', async () => {
      const segment = await openSegment(store, { units: 1 });
      await segment.win(request({ buyerId: 'ann' }));
      await segment.claimOne(request({ buyerId: 'bob' }));
      expect(await store.marks.ofBuyer(segment.key, 'bob')).toEqual([]);
      expect(await store.marks.ofBuyer(newSegment(), 'ann')).toEqual([]);
      await store.lose();
      expect(await store.marks.ofBuyer(segment.key, 'ann')).toEqual([]);
    });
  });
}
