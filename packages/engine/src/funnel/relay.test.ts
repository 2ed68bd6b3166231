import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMemoryLedger } from '../adapters/memory/ledger.ts';
import { createMemoryTelemetry } from '../adapters/memory/telemetry.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { createIdSource } from '../adapters/system/ids.ts';
import { createHttpSender, type HttpSender } from '../adapters/webhook/http-sender.ts';
import { type Receiver, startReceiver } from '../adapters/webhook/receiver.contract.ts';
import { newWebhookSecret } from '../adapters/webhook/standard-webhooks.ts';
import { Fault } from '../domain/fault.ts';
import { nextRetryMs, RETRY_DELAYS_MS } from '../domain/outbox/delivery.ts';
import type { Ledger } from '../ports/ledger.ts';
import { newClaim, openSale } from '../ports/ledger-fixture.contract.ts';
import type { Outbox } from '../ports/outbox.ts';
import { createRelay, type Relay, type RelayDeps } from './relay.ts';

/** A busy machine takes its time. */
const TIMEOUT_MS = 3_000;

describe('the relay', () => {
  let ledger: Ledger;
  let sender: HttpSender;
  let offsetMs: number;
  const receivers: Receiver[] = [];
  const faults: Fault[] = [];
  const crashes: unknown[] = [];
  const telemetry = createMemoryTelemetry();

  beforeEach(() => {
    offsetMs = 0;
    const clock = { ...systemClock, nowMs: () => systemClock.nowMs() + offsetMs };
    ledger = createMemoryLedger({ clock });
    sender = createHttpSender({ networks: 'any', timeoutMs: TIMEOUT_MS });
  });
  afterEach(async () => {
    for (const receiver of receivers.splice(0)) await receiver.close();
    await sender.close();
    faults.splice(0);
    expect(crashes).toEqual([]);
  });

  async function addReceiver(id: string): Promise<Receiver> {
    const receiver = await startReceiver();
    receivers.push(receiver);
    await ledger.webhooks.add({ id, url: receiver.url, eventTypes: null, secret: newWebhookSecret() });
    return receiver;
  }

  function newRelay(changes: Partial<RelayDeps> = {}): Relay {
    return createRelay({
      ...{ outbox: ledger.outbox, webhooks: ledger.webhooks, sender, clock: systemClock, telemetry },
      ...{ idSource: createIdSource(), random: () => 0.5, retryDelaysMs: [1_000, 1_000] },
      onFault: (fault) => faults.push(fault),
      onCrash: (error) => crashes.push(error),
      ...changes,
    });
  }

  /** Until nothing that is due now is left. */
  async function run(...relays: readonly Relay[]): Promise<void> {
    for (let round = 0; round < 8; round++) {
      await Promise.all(relays.map((relay) => relay.round()));
      await Promise.all(relays.map((relay) => relay.idle()));
    }
  }

  async function paidOrder(saleId: string, seq: number): Promise<string> {
    const { orderId } = newClaim(saleId, seq);
    await ledger.settlement.settle([newClaim(saleId, seq)]);
    await ledger.orders.notePayment({ orderId, reference: `pay ${orderId}`, outcome: 'paid', amount: null });
    return orderId;
  }

  const typesAt = (receiver: Receiver) => receiver.received.map(({ json }) => json.type);
  const typesOf = (receiver: Receiver, orderId: string) =>
    receiver.received.filter(({ json }) => json.data.orderId === orderId).map(({ json }) => json.type);

  test('brings events of one order in their order, each once', async () => {
    const receiver = await addReceiver('mail');
    const saleId = await openSale(ledger);
    const orderId = await paidOrder(saleId, 1);
    await ledger.orders.fulfil(orderId);
    await run(newRelay());
    expect(typesOf(receiver, orderId)).toEqual(['order.settled', 'order.paid', 'order.fulfilled']);
    expect(typesAt(receiver)).toContain('sale.published');
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(4);
    expect(await ledger.outbox.depth()).toMatchObject({ events: 0, deliveries: 0 });
  });

  test('never puts events of an order in another order, with two at work and a receiver that fails now and then', async () => {
    const receiver = await addReceiver('mail');
    const saleId = await openSale(ledger, { totalUnits: 100, limitUnits: 1 });
    let calls = 0;
    const taken: { readonly orderId: string; readonly type: string }[] = [];
    receiver.misbehave((response, { json }) => {
      calls += 1;
      if (calls % 5 === 0) return void response.writeHead(500).end();
      taken.push({ orderId: json.data.orderId, type: json.type });
      setTimeout(() => response.writeHead(204).end(), calls % 3);
    });
    const orderIds: string[] = [];
    for (let seq = 1; seq <= 25; seq++) orderIds.push(await paidOrder(saleId, seq));
    for (const orderId of orderIds) await ledger.orders.fulfil(orderId);
    const retryDelaysMs = new Array<number>(20).fill(1_000);
    const relays = [newRelay({ retryDelaysMs }), newRelay({ retryDelaysMs })];
    for (let round = 0; round < 10; round++) {
      await run(...relays);
      offsetMs += 2_000;
    }
    for (const orderId of orderIds) {
      expect(taken.filter((each) => each.orderId === orderId).map(({ type }) => type)).toEqual([
        ...['order.settled', 'order.paid', 'order.fulfilled'],
      ]);
    }
  });

  test('killed between the sending and the noting, sends again under the same id', async () => {
    const receiver = await addReceiver('mail');
    const saleId = await openSale(ledger);
    await paidOrder(saleId, 1);
    const dying: Outbox = {
      ...ledger.outbox,
      delivered: async () => {
        throw new Fault('ledger_unavailable');
      },
    };
    await run(newRelay({ outbox: dying }));
    const firstIds = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(firstIds).toHaveLength(2);
    expect(faults.map(({ code }) => code)).toContain('ledger_unavailable');
    // Not before its lease has ended.
    await run(newRelay());
    expect(receiver.received).toHaveLength(2);
    offsetMs += 61_000;
    await run(newRelay());
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(ids.slice(2, 4).sort()).toEqual([...firstIds].sort());
    expect(typesAt(receiver).slice(4)).toEqual(['order.paid']);
  });

  test('an endpoint that hangs holds no other up', async () => {
    const hanging = await addReceiver('hanging');
    const well = await addReceiver('well');
    hanging.misbehave(() => {});
    const relay = newRelay();
    await openSale(ledger);
    await relay.round();
    await expect.poll(() => typesAt(well), { timeout: 10_000 }).toEqual(['sale.published']);
    await openSale(ledger);
    await relay.round();
    await expect.poll(() => typesAt(well), { timeout: 10_000 }).toEqual(['sale.published', 'sale.published']);
    await relay.idle();
  });

  test('an event of one order that hangs holds up no other order', async () => {
    const receiver = await addReceiver('mail');
    const saleId = await openSale(ledger, { totalUnits: 100, limitUnits: 1 });
    const stuck = newClaim(saleId, 1).orderId;
    const held: (() => void)[] = [];
    receiver.misbehave((response, { json }) => {
      const answer = () => void response.writeHead(204).end();
      if (json.data.orderId === stuck) held.push(answer);
      else answer();
    });
    const patient = createHttpSender({ networks: 'any', timeoutMs: 30_000 });
    const relay = newRelay({ sender: patient });
    await ledger.settlement.settle([newClaim(saleId, 1)]);
    await relay.round();
    await expect.poll(() => held.length, { timeout: 10_000 }).toBe(1);
    const others = Array.from({ length: 10 }, (_, index) => newClaim(saleId, index + 2));
    await ledger.settlement.settle(others);
    await relay.round();
    const arrived = () => others.filter(({ orderId }) => typesOf(receiver, orderId).length === 1).length;
    await expect.poll(arrived, { timeout: 10_000 }).toBe(10);
    expect(held).toHaveLength(1);
    held[0]?.();
    await relay.idle();
    await patient.close();
    expect(await ledger.outbox.depth()).toMatchObject({ deliveries: 0 });
  }, 25_000);

  test('tries again until it gives up; a dead letter lets the next event pass, and is replayed', async () => {
    const saleId = await openSale(ledger);
    const receiver = await addReceiver('mail');
    const orderId = await paidOrder(saleId, 1);
    receiver.misbehave((response, { json }) => response.writeHead(json.type === 'order.settled' ? 500 : 204).end());
    const relay = newRelay();
    await run(relay);
    expect(typesOf(receiver, orderId)).toEqual(['order.settled']);
    offsetMs += 1_500;
    await run(relay);
    expect(typesOf(receiver, orderId)).toEqual(['order.settled', 'order.settled']);
    offsetMs += 1_500;
    await run(relay);
    expect(typesOf(receiver, orderId)).toEqual(['order.settled', 'order.settled', 'order.settled', 'order.paid']);
    const { deadLetters } = await ledger.outbox.listDead('mail', null, 10);
    expect(deadLetters).toMatchObject([{ error: 'HTTP 500', failures: 3 }]);
    receiver.misbehave(null);
    await ledger.outbox.replay('mail', null);
    await run(relay);
    expect(typesOf(receiver, orderId).at(-1)).toBe('order.settled');
    expect((await ledger.outbox.depth()).deadLetters).toBe(0);
  });

  test('gives up at once what the receiver says is gone', async () => {
    const receiver = await addReceiver('mail');
    receiver.misbehave((response) => response.writeHead(410).end());
    await openSale(ledger);
    await run(newRelay());
    expect(await ledger.outbox.depth()).toMatchObject({ deliveries: 0, deadLetters: 1 });
  });

  test('leaves an endpoint that fails alone for a while, without using up the tries of what waits', async () => {
    const receiver = await addReceiver('mail');
    const saleId = await openSale(ledger);
    receiver.misbehave((response) => response.writeHead(500).end());
    let passedMs = 0;
    const clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + passedMs };
    const relay = newRelay({ clock, retryDelaysMs: RETRY_DELAYS_MS });
    for (let seq = 1; seq <= 30; seq++) await ledger.settlement.settle([newClaim(saleId, seq)]);
    await run(relay);
    const calls = receiver.received.length;
    // Those in hand when the eighth failed may still end.
    expect(calls).toBeLessThanOrEqual(16);
    expect((await ledger.outbox.depth()).deliveries).toBe(31);
    receiver.misbehave(null);
    await run(relay);
    expect(receiver.received.length).toBe(calls);
    passedMs += 31_000;
    offsetMs += 60_000;
    await run(relay);
    expect(await ledger.outbox.depth()).toMatchObject({ deliveries: 0, deadLetters: 0 });
  });

  test('stops in time, whatever a receiver does, and puts back what it did not send', async () => {
    const receiver = await addReceiver('mail');
    receiver.misbehave(() => {});
    for (let count = 0; count < 12; count++) await openSale(ledger);
    const relay = newRelay();
    await relay.round();
    await expect.poll(() => receiver.received.length, { timeout: 10_000 }).toBeGreaterThan(0);
    await relay.stop();
    expect(receiver.received.length).toBeLessThanOrEqual(8);
    receiver.misbehave(null);
    await run(newRelay());
    expect(receiver.received.length).toBeGreaterThanOrEqual(12);
  });
});

test('retries grow, are spread, and end after about a day', () => {
  const wish = { askedMs: 0, delaysMs: RETRY_DELAYS_MS };
  const delays = RETRY_DELAYS_MS.map((_, failures) => nextRetryMs(failures, 0.5, wish) ?? 0);
  expect([...delays].sort((a, b) => a - b)).toEqual(delays);
  expect(delays.reduce((sum, delay) => sum + delay, 0) / 3_600_000).toBeCloseTo(24, 0);
  expect(nextRetryMs(RETRY_DELAYS_MS.length, 0.5, wish)).toBeNull();
  expect([nextRetryMs(0, 0, wish), nextRetryMs(0, 0.999, wish)]).toEqual([4_000, 5_998]);
  expect(nextRetryMs(0, 0.5, { ...wish, askedMs: 60_000 })).toBe(60_000);
  expect(nextRetryMs(0, 0.5, { ...wish, askedMs: 10 ** 12 })).toBe(8 * 3_600_000);
});
