/**
 * The deliveries of one endpoint: claimed in batches, a few sent at once, and the ledger told how each went. A call that
 * hangs keeps its own slot and no other. A breaker holds deliveries back while the endpoint fails, without using up their
 * tries; then one is sent to see.
 */
import { Fault } from '../domain/fault.ts';
import { type ClaimedDelivery, nextRetryMs, RETRY_DELAYS_MS } from '../domain/outbox/delivery.ts';
import { messageOf } from '../domain/outbox/outbox-event.ts';
import { secretsAt, type WebhookEndpoint } from '../domain/outbox/webhook-endpoint.ts';
import type { Clock } from '../ports/clock.ts';
import type { IdSource } from '../ports/id-source.ts';
import type { ClaimedRef, Outbox } from '../ports/outbox.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import type { WebhookAnswer, WebhookSender } from '../ports/webhook-sender.ts';
import type { Webhooks } from '../ports/webhooks.ts';
import { type BreakerOptions, createCircuitBreaker } from './ledger/circuit-breaker.ts';

export interface WebhookLaneDeps {
  readonly outbox: Outbox;
  readonly webhooks: Pick<Webhooks, 'list'>;
  readonly sender: Pick<WebhookSender, 'send' | 'timeoutMs'>;
  readonly clock: Clock;
  readonly idSource: IdSource;
  readonly telemetry: Pick<Telemetry, 'webhookAnswered'>;
  /** From 0 to below 1, evenly. */
  readonly random: () => number;
  /** RETRY_DELAYS_MS when not given. */
  readonly retryDelaysMs?: readonly number[];
  readonly onFault: (fault: Fault) => void;
  readonly onCrash: (error: unknown) => void;
}

export interface WebhookLane {
  /** Sends what is due, in as many slots as are free. */
  wake(endpoint: WebhookEndpoint): void;
  idle(): Promise<void>;
  /** Sends no more; what is claimed and not sent is put back. */
  close(): void;
}

/** Eight of them: fewer failures in a row would be one moment of the network. */
const BREAKER: BreakerOptions = { failures: 8, restMs: 30_000 };

/** A receiver is another's server: it gets this many calls at once from a process, and no more. */
const CALLS_AT_ONCE = 8;
const BATCH = 32;

/** Whoever sends must still have the delivery when the answer comes, or another sends beside them. */
const LEASE_MS = 60_000;
const LEASE_MARGIN_MS = 5_000;

interface Held {
  readonly delivery: ClaimedDelivery;
  readonly ref: ClaimedRef;
  /** By the monotonic clock: too late to begin. */
  readonly untilMs: number;
  /** Sent to see, though the breaker is open. */
  readonly isProbe: boolean;
}

export function createWebhookLane(deps: WebhookLaneDeps): WebhookLane {
  const { outbox, clock, sender } = deps;
  const breaker = createCircuitBreaker(clock, BREAKER);
  let endpoint: WebhookEndpoint | null = null;
  let isClosed = false;
  /** What is claimed and not begun. */
  let rest: Iterator<Held> = [].values();
  /** The last claim was full, or there was none since the lane was woken. */
  let mayBeMore = false;
  let claiming: Promise<void> | null = null;
  const slots = new Set<Promise<void>>();
  let puttingBack: Promise<void> = Promise.resolve();

  function fillSlots(endpointId: string): void {
    while (slots.size < CALLS_AT_ONCE) {
      const slot = workSlot(endpointId)
        .catch(deps.onCrash)
        .finally(() => slots.delete(slot));
      slots.add(slot);
    }
  }

  async function workSlot(endpointId: string): Promise<void> {
    await workOff(rest);
    while (!isClosed && mayBeMore) {
      claiming ??= claim(endpointId).finally(() => {
        claiming = null;
      });
      await claiming;
      await workOff(rest);
    }
  }

  /** One at a time, when nothing is left of the claim before. */
  async function claim(endpointId: string): Promise<void> {
    mayBeMore = false;
    const isProbe = breaker.state !== 'closed';
    if (breaker.ask() > 0) return;
    const max = isProbe ? 1 : BATCH;
    const claimId = deps.idSource.newId();
    const untilMs = clock.monotonicMs() + LEASE_MS - sender.timeoutMs - LEASE_MARGIN_MS;
    try {
      const deliveries = await outbox.claim({ endpointId, max, leaseMs: LEASE_MS, claimId });
      rest = deliveries.map((each) => ({ delivery: each, ref: { id: each.id, claimId }, untilMs, isProbe })).values();
      mayBeMore = deliveries.length === max;
    } catch (error) {
      // The next wake asks again.
      if (error instanceof Fault) deps.onFault(error);
      else deps.onCrash(error);
    }
  }

  async function workOff(work: Iterator<Held>): Promise<void> {
    for (let next = work.next(); !next.done; next = work.next()) {
      try {
        await deliver(next.value);
      } catch (error) {
        // It is tried again when its lease has ended.
        if (!(error instanceof Fault)) throw error;
        deps.onFault(error);
      }
    }
  }

  async function deliver({ delivery, ref, untilMs, isProbe }: Held): Promise<void> {
    const isHeldBack = isClosed || (breaker.state !== 'closed' && !isProbe) || clock.monotonicMs() > untilMs;
    if (isHeldBack || !endpoint) return await outbox.putBack(ref);
    const secrets = secretsAt(endpoint, clock.nowMs());
    const answer = await sender.send({ url: endpoint.url, secrets, message: messageOf(delivery.event) });
    deps.telemetry.webhookAnswered(answer.kind);
    if (answer.kind === 'delivered') {
      breaker.succeeded();
      return await outbox.delivered(ref);
    }
    breaker.failed();
    await outbox.failed(ref, answer.error, retryAfter(delivery, answer));
  }

  function retryAfter({ failures }: ClaimedDelivery, answer: Exclude<WebhookAnswer, { kind: 'delivered' }>) {
    if (answer.kind === 'refused' && answer.isFinal) return null;
    const askedMs = answer.kind === 'refused' ? answer.retryAfterMs : 0;
    return nextRetryMs(failures, deps.random(), { askedMs, delaysMs: deps.retryDelaysMs ?? RETRY_DELAYS_MS });
  }

  return {
    wake(current) {
      endpoint = current;
      if (isClosed) return;
      mayBeMore = true;
      fillSlots(current.id);
    },
    async idle() {
      await Promise.all([...slots, puttingBack]);
    },
    close() {
      isClosed = true;
      // Not by those who wait for a receiver: it may hang.
      puttingBack = workOff(rest).catch(deps.onCrash);
    },
  };
}
