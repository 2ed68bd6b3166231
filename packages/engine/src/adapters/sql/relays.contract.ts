/** Relays of several processes at one outbox, each over connections of its own, while the events are still being written. */
import { expect, test } from 'vitest';
import { createRelay, type Relay } from '../../funnel/relay.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { newClaim, openSale } from '../../ports/ledger-fixture.contract.ts';
import { createMemoryTelemetry } from '../memory/telemetry.ts';
import { systemClock } from '../system/clock.ts';
import { createIdSource } from '../system/ids.ts';
import { createHttpSender } from '../webhook/http-sender.ts';
import { startReceiver } from '../webhook/receiver.contract.ts';
import { newWebhookSecret } from '../webhook/standard-webhooks.ts';

const ORDERS = 60;
/** Of a shared machine; it ends as soon as nothing is left. */
const PATIENCE_MS = 60_000;

/** At least three ledgers of one database. */
export function relaysContract(ledgers: () => readonly Ledger[]): void {
  test('relays of several processes bring the events of each order in their order, each once', async () => {
    const [ledger] = ledgers();
    if (!ledger) throw new Error('there are ledgers');
    const receiver = await startReceiver();
    const sender = createHttpSender({ networks: 'any', timeoutMs: 10_000 });
    const saleId = await openSale(ledger, { totalUnits: ORDERS });
    await ledger.webhooks.add({ id: 'mail', url: receiver.url, eventTypes: null, secret: newWebhookSecret() });
    const problems: unknown[] = [];
    const newRelay = ({ outbox, webhooks }: Ledger): Relay =>
      createRelay({
        ...{ outbox, webhooks, sender, clock: systemClock, idSource: createIdSource(), random: Math.random },
        ...{ telemetry: createMemoryTelemetry(), onFault: (fault) => problems.push(fault) },
        onCrash: (error) => problems.push(error),
      });
    const relays = ledgers().slice(0, 3).map(newRelay);
    for (const relay of relays) relay.start();

    const orderIds = Array.from({ length: ORDERS }, (_, index) => newClaim(saleId, index + 1).orderId);
    await Promise.all(
      orderIds.map(async (orderId, index) => {
        const one = ledgers()[index % ledgers().length] ?? ledger;
        await one.settlement.settle([newClaim(saleId, index + 1)]);
        await one.orders.notePayment({ orderId, reference: `pay ${orderId}`, outcome: 'paid', amount: 100 });
        await one.orders.fulfil(orderId);
      }),
    );
    await expect
      .poll(() => ledger.outbox.depth(), { timeout: PATIENCE_MS })
      .toMatchObject({ events: 0, deliveries: 0, deadLetters: 0 });
    for (const relay of relays) await relay.stop();

    for (const orderId of orderIds) {
      const own = receiver.received.filter(({ json }) => json.data.orderId === orderId);
      expect(own.map(({ json }) => [json.type, json.data.reference, json.data.amount])).toEqual([
        ['order.settled', null, null],
        ['order.paid', `pay ${orderId}`, 100],
        ['order.fulfilled', null, null],
      ]);
    }
    expect(problems).toEqual([]);
    await ledger.webhooks.remove('mail');
    await sender.close();
    await receiver.close();
  });
}
