/**
 * The receiver of a world: another's server, told of every event, with a wire to it that may fail like any other. It judges what
 * comes: the events of an order come first in the order in which the ledger has them, one may come again, and at the end none
 * is missing.
 */
import type { OrderId } from '../domain/ids.ts';
import type { OrderEvent } from '../domain/order/order-event.ts';
import type { EventMessage } from '../domain/outbox/outbox-event.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { WebhookSender } from '../ports/webhook-sender.ts';
import type { Report } from './violation.ts';
import type { Wire } from './wire.ts';

export interface Receiver {
  /** Before anything happens, so that it is told of everything. */
  open(): Promise<void>;
  senderOn(wire: Wire): WebhookSender;
  /** Everything that happened has been told. */
  isUpToDate(): Promise<boolean>;
  judgeTheEnd(orderIds: Iterable<OrderId>): Promise<void>;
}

export interface ReceiverParts {
  readonly ledger: Pick<Ledger, 'orders' | 'outbox' | 'webhooks'>;
  readonly report: Report;
  readonly sometimes: (mark: string) => void;
}

/** Of a call to it; what a wire has given up is `unanswered`. */
export const RECEIVER_PATIENCE_MS = 2_000;

export function createReceiver({ ledger, report, sometimes }: ReceiverParts): Receiver {
  const met = new Set<string>();
  /** As each came for the first time; by order. */
  const told = new Map<OrderId, EventMessage[]>();

  async function receive(message: EventMessage): Promise<'taken'> {
    const { orderId } = message.data;
    if (met.has(message.id)) sometimes('event-again');
    if (met.has(message.id) || typeof orderId !== 'string') return 'taken';
    met.add(message.id);
    const own = told.get(orderId) ?? [];
    own.push(message);
    told.set(orderId, own);
    const history = await ledger.orders.history(orderId);
    sometimes(`told-${message.type}`);
    const names = own.map(nameOfMessage).join(' ');
    const written = history.slice(0, own.length).map(nameOfEvent).join(' ');
    if (names !== written) report('events of an order come in their order', orderId, `${names}, not ${written}`);
    return 'taken';
  }

  return {
    async open() {
      await ledger.webhooks.add({
        id: 'receiver',
        url: 'https://receiver.test/',
        eventTypes: null,
        secret: 'whsec_MQ==',
      });
    },
    senderOn: (wire) => ({
      async send({ message }) {
        try {
          await wire.call(`event ${message.id}`, () => receive(message));
          return { kind: 'delivered', status: 204 };
        } catch (error) {
          sometimes('event-unanswered');
          return { kind: 'unanswered', error: String(error) };
        }
      },
      mistakeIn: () => null,
      newSecret: () => 'whsec_MQ==',
      timeoutMs: RECEIVER_PATIENCE_MS,
    }),
    async isUpToDate() {
      const { events, deliveries } = await ledger.outbox.depth();
      return events + deliveries === 0;
    },
    async judgeTheEnd(orderIds) {
      if (!(await this.isUpToDate())) report('every event is told', null, 'the outbox does not run empty');
      for (const orderId of orderIds) {
        const history = (await ledger.orders.history(orderId)).map(nameOfEvent).join(' ');
        const names = (told.get(orderId) ?? []).map(nameOfMessage).join(' ');
        if (names !== history) report('every event is told', orderId, `${names}, not ${history}`);
      }
    },
  };
}

function nameOfMessage({ type, data: { reference } }: EventMessage): string {
  return `${type}(${String(reference)})`;
}

function nameOfEvent({ type, reference }: OrderEvent): string {
  return `${type}(${String(reference)})`;
}
