/** What every wallet promises: once for each key, whatever comes twice, late or in another order. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RefundCall, Wallet, WalletCall } from './wallet.ts';

export interface WalletUnderTest {
  readonly wallet: Wallet;
  balanceOf(buyerId: string): Promise<number>;
  close(): Promise<void>;
}

/** Every buyer begins with this much. */
export const INITIAL_POINTS = 100;

export interface WalletSubject {
  readonly name: string;
  open(): Promise<WalletUnderTest>;
}

let lastNumber = 0;

function newCall(changes: Partial<WalletCall> = {}): WalletCall {
  lastNumber += 1;
  const orderId = `order-${lastNumber}`;
  return { key: orderId, buyerId: `buyer ${lastNumber} 买家`, points: 30, saleId: 'sale', orderId, ...changes };
}

const refundOf = (call: WalletCall): RefundCall => ({ ...call, key: `refund:${call.key}`, chargeKey: call.key });

export function walletContract({ name, open }: WalletSubject): void {
  describe(`wallet: ${name}`, () => {
    let subject: WalletUnderTest;
    beforeAll(async () => {
      subject = await open();
    });
    afterAll(() => subject.close());

    test('takes points once for a key, however often it is asked', async () => {
      const call = newCall();
      const answers = await Promise.all(Array.from({ length: 8 }, () => subject.wallet.charge(call)));
      expect(new Set(answers.map((answer) => answer.kind))).toEqual(new Set(['charged']));
      expect(await subject.balanceOf(call.buyerId)).toBe(INITIAL_POINTS - 30);
    });

    test('takes nothing from who has too little, and says so for that key ever after', async () => {
      const first = newCall({ points: 80 });
      const second = newCall({ buyerId: first.buyerId, points: 30 });
      expect(await subject.wallet.charge(first)).toEqual({ kind: 'charged' });
      const refused = { kind: 'refused', reason: 'insufficient_points' };
      expect(await subject.wallet.charge(second)).toEqual(refused);
      expect(await subject.wallet.refund(refundOf(first))).toEqual({ kind: 'refunded' });
      expect(await subject.wallet.charge(second)).toEqual(refused);
      expect(await subject.balanceOf(first.buyerId)).toBe(INITIAL_POINTS);
    });

    test('gives back once what was taken, and takes it no second time', async () => {
      const call = newCall();
      await subject.wallet.charge(call);
      for (let times = 0; times < 3; times++) {
        expect(await subject.wallet.refund(refundOf(call))).toEqual({ kind: 'refunded' });
      }
      expect(await subject.wallet.charge(call)).toEqual({ kind: 'charged' });
      expect(await subject.balanceOf(call.buyerId)).toBe(INITIAL_POINTS);
    });

    test('takes nothing any more for a key that was given back before it came', async () => {
      const call = newCall();
      expect(await subject.wallet.refund(refundOf(call))).toEqual({ kind: 'nothing_taken' });
      expect(await subject.wallet.charge(call)).toEqual({ kind: 'refused', reason: 'given_back' });
      expect(await subject.wallet.refund(refundOf(call))).toEqual({ kind: 'nothing_taken' });
      expect(await subject.balanceOf(call.buyerId)).toBe(INITIAL_POINTS);
    });
  });
}
