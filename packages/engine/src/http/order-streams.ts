/**
 * Streams of what becomes of orders, as server-sent events over plain responses. Promises: the state at once, then each
 * change that a reading of the ledger shows; an end when nothing more happens by itself. The feed is a hint that makes the
 * next reading come sooner, so a missed one costs seconds and nothing else. Streams are bounded in number and in life; a
 * reader who does not read is let go.
 */
import type { ServerResponse } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import { Fault } from '../domain/fault.ts';
import type { BuyerId, OrderId } from '../domain/ids.ts';
import { isFinal, type KnownOrder } from '../domain/order/order.ts';
import type { Offer } from '../domain/sale/offer.ts';
import type { Clock } from '../ports/clock.ts';
import type { ServedEngine } from './deps.ts';
import { ORDER_STREAM_LIMITS, type OrderStreamLimits } from './limits.ts';
import { orderAnswer } from './order-answers.ts';
import { API_HEADERS } from './outcome-to-response.ts';

export interface OrderStreams {
  hasRoom(buyerId: BuyerId): boolean;
  /** Takes the response over. Only when there is room. */
  open(response: ServerResponse, bought: Bought, log: FastifyBaseLogger): void;
  /** Ends all of them, and opens no more. */
  close(): void;
}

/** An order, and what its sale offers. */
interface Bought {
  readonly order: KnownOrder;
  readonly offer: Offer;
  /** What is known of one that the ledger does not have, for whoever has shown its receipt; null without. */
  readonly askUnsettled: (() => Promise<KnownOrder | null>) | null;
}

export interface OrderStreamDeps {
  readonly engine: Pick<ServedEngine, 'showOrder' | 'watchOrders'>;
  readonly clock: Clock;
  readonly orderStreams?: Partial<OrderStreamLimits>;
}

interface OpenStream {
  start(): void;
  look(): void;
  end(): void;
}

/** Differs whenever an event would. */
export function eventIdOf({ state, settledAtMs }: KnownOrder): string {
  return `${state}.${settledAtMs ?? 0}`;
}

export function createOrderStreams(deps: OrderStreamDeps): OrderStreams {
  const limits = { ...ORDER_STREAM_LIMITS, ...deps.orderStreams };
  const byOrder = new Map<OrderId, Set<OpenStream>>();
  const perBuyer = new Map<BuyerId, number>();
  let count = 0;
  let isClosed = false;
  let unsubscribe: (() => void) | null = null;

  /** One subscription for all of them, while there are any. */
  function add({ orderId, buyerId }: KnownOrder, stream: OpenStream): void {
    perBuyer.set(buyerId, (perBuyer.get(buyerId) ?? 0) + 1);
    byOrder.set(orderId, (byOrder.get(orderId) ?? new Set()).add(stream));
    count++;
    unsubscribe ??= deps.engine.watchOrders((orders) => {
      for (const { orderId: changed } of orders) for (const each of byOrder.get(changed) ?? []) each.look();
    });
  }

  function remove({ orderId, buyerId }: KnownOrder, stream: OpenStream): void {
    const streams = byOrder.get(orderId);
    if (!streams?.delete(stream)) return;
    const left = (perBuyer.get(buyerId) ?? 1) - 1;
    if (left > 0) perBuyer.set(buyerId, left);
    else perBuyer.delete(buyerId);
    if (streams.size === 0) byOrder.delete(orderId);
    if (--count > 0) return;
    unsubscribe?.();
    unsubscribe = null;
  }

  return {
    hasRoom: (buyerId) =>
      !isClosed && count < limits.maxStreams && (perBuyer.get(buyerId) ?? 0) < limits.maxStreamsPerBuyer,
    open(response, { order, offer, askUnsettled }, log) {
      const onEnd = () => remove(order, stream);
      const stream = openStream({ ...deps, limits, response, log, onEnd, offer, askUnsettled }, order);
      add(order, stream);
      stream.start();
    },
    close() {
      isClosed = true;
      for (const streams of [...byOrder.values()]) for (const stream of [...streams]) stream.end();
    },
  };
}

interface StreamParts extends OrderStreamDeps, Omit<Bought, 'order'> {
  readonly limits: OrderStreamLimits;
  readonly response: ServerResponse;
  readonly log: FastifyBaseLogger;
  readonly onEnd: () => void;
}

const HEADERS = {
  ...API_HEADERS,
  'Content-Type': 'text/event-stream; charset=utf-8',
  // A stream that ends while the server closes must not leave its connection to idle.
  Connection: 'close',
  // nginx would keep events until it has a page full of them.
  'X-Accel-Buffering': 'no',
};

function openStream(
  { engine, clock, limits, response, log, onEnd, offer, askUnsettled }: StreamParts,
  first: KnownOrder,
): OpenStream {
  let order = first;
  let isOpen = true;
  let isLooking = false;
  let mustLookAgain = false;

  /** A full buffer is a reader who is gone, or as good as that. */
  function write(text: string): void {
    if (isOpen && !response.write(text)) leave();
  }

  function tell(): void {
    write(`event: order\nid: ${eventIdOf(order)}\ndata: ${JSON.stringify(orderAnswer(order, offer))}\n\n`);
    if (isFinal(order.state)) end();
  }

  function stop(): boolean {
    if (!isOpen) return false;
    isOpen = false;
    for (const callOff of timers) callOff();
    onEnd();
    return true;
  }

  function end(): void {
    if (stop()) response.end();
  }

  function leave(): void {
    if (stop()) response.destroy();
  }

  async function read(): Promise<void> {
    // One that is queued is not in the ledger yet, and may never be.
    const now = (await engine.showOrder(order.orderId)) ?? (await askUnsettled?.()) ?? null;
    if (!isOpen || !now || eventIdOf(now) === eventIdOf(order)) return;
    order = now;
    tell();
  }

  /** One reading at a time; hints that come meanwhile make one more. */
  function look(): void {
    mustLookAgain = isLooking;
    if (isLooking || !isOpen) return;
    isLooking = true;
    read()
      .catch((error: unknown) => {
        if (error instanceof Fault && error.retryable) return;
        log.error({ err: error, orderId: order.orderId }, 'a stream of order events broke');
        leave();
      })
      .finally(() => {
        isLooking = false;
        if (mustLookAgain) look();
      });
  }

  const timers = [
    every(clock, limits.rereadMs, look),
    every(clock, limits.heartbeatMs, () => write(':\n\n')),
    clock.after(limits.lifetimeMs, end),
  ];
  return {
    start() {
      response.on('close', stop);
      response.writeHead(200, HEADERS);
      tell();
      // It may have changed since it was read.
      look();
    },
    ...{ look, end },
  };
}

function every(clock: Clock, periodMs: number, action: () => void): () => void {
  let callOff = clock.after(periodMs, again);
  function again(): void {
    callOff = clock.after(periodMs, again);
    action();
  }
  return () => callOff();
}
