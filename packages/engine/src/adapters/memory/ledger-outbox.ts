/** The outbox in memory. */
import { invariant } from '../../domain/invariant.ts';
import type { ClaimedDelivery, DeadLetter } from '../../domain/outbox/delivery.ts';
import { type OutboxEvent, type StoredEvent, subjectOf } from '../../domain/outbox/outbox-event.ts';
import { wants } from '../../domain/outbox/webhook-endpoint.ts';
import type { Clock } from '../../ports/clock.ts';
import { type ClaimedRef, MAX_HANDED_OUT, type Outbox } from '../../ports/outbox.ts';
import type { DeliveryRow, Rows } from './ledger-rows.ts';

export function createMemoryOutbox(rows: Rows, clock: Clock): Outbox {
  const { deliveries, waitingEvents } = rows;

  function change({ id, claimId }: ClaimedRef, changes: Partial<DeliveryRow>): void {
    const row = deliveries.get(id);
    if (row?.claimId === claimId) deliveries.set(id, { ...row, claimId: null, ...changes });
  }

  function deliver(stored: StoredEvent): void {
    const { type, atMs } = stored.event;
    for (const endpoint of [...rows.endpoints.values()].filter((each) => wants(each, type, atMs))) {
      const id = ++rows.lastNumbers.delivery;
      const nowMs = clock.nowMs();
      deliveries.set(id, {
        ...{ id, endpointId: endpoint.id, subject: subjectOf(stored), stored, createdAtMs: nowMs },
        ...{ state: 'pending', failures: 0, nextAtMs: nowMs, claimId: null, error: null },
      });
    }
  }

  return {
    async handOut() {
      const handed = [...waitingEvents.values()].slice(0, MAX_HANDED_OUT);
      for (const stored of handed) {
        deliver(stored);
        waitingEvents.delete(stored.number);
      }
      return handed.length;
    },

    async claim({ endpointId, max, leaseMs, claimId }) {
      const nowMs = clock.nowMs();
      const due = headsOf(rows, endpointId).filter((row) => row.nextAtMs <= nowMs);
      const claimed = due.sort((a, b) => a.nextAtMs - b.nextAtMs || a.id - b.id).slice(0, max);
      for (const row of claimed) deliveries.set(row.id, { ...row, claimId, nextAtMs: nowMs + leaseMs });
      return claimed.map((row) => claimedOf(rows, row));
    },

    async delivered({ id, claimId }) {
      if (deliveries.get(id)?.claimId === claimId) deliveries.delete(id);
    },

    async failed(ref, error, retryInMs) {
      const failures = (deliveries.get(ref.id)?.failures ?? 0) + 1;
      const state = retryInMs === null ? 'dead' : 'pending';
      change(ref, { failures, error, state, nextAtMs: clock.nowMs() + (retryInMs ?? 0) });
    },

    async putBack(ref) {
      change(ref, { nextAtMs: clock.nowMs() });
    },

    async listDead(endpointId, after, max) {
      const found = deadOf(rows, endpointId).filter(({ id }) => id > (after ?? 0));
      const page = found.slice(0, max);
      const next = found.length > max ? (page.at(-1)?.id ?? null) : null;
      return { deadLetters: page.map((row) => deadLetterOf(rows, row)), next };
    },

    async replay(endpointId, id) {
      const found = deadOf(rows, endpointId).filter((row) => id === null || row.id === id);
      for (const row of found) {
        deliveries.set(row.id, { ...row, state: 'pending', failures: 0, error: null, nextAtMs: clock.nowMs() });
      }
      return found.length;
    },

    async depth() {
      const pending = [...deliveries.values()].filter(({ state }) => state === 'pending');
      const sinceMs = [
        ...[...waitingEvents.values()].map(({ event }) => event.atMs),
        ...pending.map(({ createdAtMs }) => createdAtMs),
      ];
      return {
        ...{ events: waitingEvents.size, deliveries: pending.length, deadLetters: deliveries.size - pending.length },
        oldestAgeMs: sinceMs.length === 0 ? null : Math.max(0, clock.nowMs() - Math.min(...sinceMs)),
      };
    },
  };
}

/** Of each subject the first that waits. */
function headsOf(rows: Rows, endpointId: string): DeliveryRow[] {
  const heads = new Map<string, DeliveryRow>();
  for (const row of [...rows.deliveries.values()].sort((a, b) => a.id - b.id)) {
    if (row.endpointId === endpointId && row.state === 'pending' && !heads.has(row.subject))
      heads.set(row.subject, row);
  }
  return [...heads.values()];
}

function deadOf(rows: Rows, endpointId: string): DeliveryRow[] {
  const dead = [...rows.deliveries.values()].filter((row) => row.endpointId === endpointId && row.state === 'dead');
  return dead.sort((a, b) => a.id - b.id);
}

function claimedOf(rows: Rows, { id, endpointId, failures, stored }: DeliveryRow): ClaimedDelivery {
  return { id, endpointId, failures, event: withOffer(rows, stored) };
}

function deadLetterOf(rows: Rows, row: DeliveryRow): DeadLetter {
  return { ...claimedOf(rows, row), diedAtMs: row.nextAtMs, error: row.error ?? '' };
}

function withOffer(rows: Rows, stored: StoredEvent): OutboxEvent {
  if (stored.kind === 'sale') return stored;
  const offer = rows.sales.get(stored.event.saleId)?.sale.offer;
  invariant(offer, `sale ${stored.event.saleId} of an event is in the ledger`);
  return { ...stored, offer };
}
