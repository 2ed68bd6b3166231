import { describe, expect, test } from 'vitest';
import { createManualClock } from '../adapters/memory/manual-clock.ts';
import { createMemoryTelemetry } from '../adapters/memory/telemetry.ts';
import { createMemoryWallet } from '../adapters/memory/wallet.ts';
import { Fault } from '../domain/fault.ts';
import type { Order } from '../domain/order/order.ts';
import type { ChargedOrder, Orders } from '../ports/orders.ts';
import type { Wallet } from '../ports/wallet.ts';
import { createCharger } from './charger.ts';
import { createCircuitBreaker } from './ledger/circuit-breaker.ts';
import { WALLET_BREAKER, walletWithBreaker } from './wallet-with-breaker.ts';

const ORIGIN = { region: 'home', segment: 0, channel: 'main', epoch: 1, seq: 1 };

function pending(number: number): ChargedOrder {
  const orderId = `order-${String(number).padStart(4, '0')}`;
  const order: Order = {
    ...{ orderId, saleId: 'swap', buyerId: `buyer-${number}`, units: 1, origin: ORIGIN },
    ...{ state: 'pending', refusal: null, settledAtMs: 0, dueAtMs: 1_000_000 },
  };
  return { order, charge: { orderId, points: 5, state: 'open' } };
}

/** A charger over a ledger that has nothing but charges which nobody ever closes. */
function newWorld(count: number, answer: Wallet['charge']) {
  const clock = createManualClock(1_000_000);
  const charges = Array.from({ length: count }, (_, at) => pending(at));
  const asked: string[] = [];
  const telemetry = createMemoryTelemetry();
  const breaker = createCircuitBreaker(clock, WALLET_BREAKER);
  const plain: Wallet = {
    ...createMemoryWallet({ initialPoints: () => 100 }),
    charge(call) {
      asked.push(call.key);
      return answer(call);
    },
  };
  const orders: Partial<Orders> = {
    async listCharges(after, max) {
      return charges.filter(({ order }) => after === null || order.orderId > after).slice(0, max);
    },
    async notePayment(notice) {
      return { kind: 'taken', payment: { ...notice, state: 'applied' }, order: null, release: null };
    },
  };
  const faults: string[] = [];
  const charger = createCharger({
    ...({ orders } as unknown as Parameters<typeof createCharger>[0]),
    ...{ clock, wallet: walletWithBreaker(plain, breaker, telemetry), askWallet: () => breaker.ask() },
    onFault: (fault) => faults.push(fault.code),
    onCrash(error) {
      throw error;
    },
  });
  return { clock, asked, breaker, charger, faults, telemetry };
}

const silence = async () => {
  throw new Fault('outcome_unknown');
};

describe('the charger', () => {
  test('asks for every open charge, page by page, each under the id of its order', async () => {
    const { charger, asked } = newWorld(450, async () => ({ kind: 'charged' }));
    expect([await charger.round(), await charger.round(), await charger.round()]).toEqual([true, true, false]);
    expect(asked).toHaveLength(450);
    expect(new Set(asked).size).toBe(450);
    expect(asked.every((key) => key.startsWith('order-'))).toBe(true);
  });

  test('asks again under the same key, later and later, after a call without an answer', async () => {
    const { charger, asked, clock, faults } = newWorld(1, silence);
    const askedWithin = async (ms: number) => {
      const before = asked.length;
      for (let passed = 0; passed < ms; passed += 250) {
        await charger.round();
        clock.advance(250);
      }
      return asked.length - before;
    };
    // At 0, 0.5, 1.5 and 3.5 s; then at 7.5 s.
    expect(await askedWithin(4_000)).toBe(4);
    expect(await askedWithin(4_000)).toBe(1);
    expect(new Set(asked)).toEqual(new Set(['order-0000']));
    expect(faults.every((code) => code === 'outcome_unknown')).toBe(true);
  });

  test('leaves a wallet alone that does not answer, tries it with one call, and goes on when it is back', async () => {
    let isBack = false;
    const { charger, asked, clock, breaker, telemetry } = newWorld(100, async () =>
      isBack ? { kind: 'charged' } : silence(),
    );
    await charger.round();
    expect(breaker.state).toBe('open');
    // What was under way when it opened, and no more.
    expect(asked.length).toBeLessThanOrEqual(WALLET_BREAKER.failures + 16);
    const before = asked.length;
    expect(await charger.round()).toBe(false);
    expect(asked.length).toBe(before);

    clock.advance(WALLET_BREAKER.restMs);
    expect(breaker.state).toBe('half_open');
    await charger.round();
    expect(asked.length).toBe(before + 1);

    isBack = true;
    clock.advance(WALLET_BREAKER.restMs);
    await charger.round();
    expect(breaker.state).toBe('closed');
    clock.advance(60_000);
    await charger.round();
    expect(telemetry.figures.get('charge charged')).toBeGreaterThanOrEqual(100);
  });
});
