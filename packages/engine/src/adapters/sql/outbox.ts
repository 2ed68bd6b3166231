/** The outbox in SQL. */
import type { ClaimedDelivery } from '../../domain/outbox/delivery.ts';
import { type StoredEvent, subjectOf } from '../../domain/outbox/outbox-event.ts';
import { type WebhookEndpoint, wants } from '../../domain/outbox/webhook-endpoint.ts';
import { type ClaimedRef, type DeliveryClaim, MAX_HANDED_OUT, type Outbox } from '../../ports/outbox.ts';
import { createSizedInsert } from './compiled-statements.ts';
import type { SqlContext } from './context.ts';
import type { SqlDialect } from './dialect.ts';
import { readDepth } from './outbox-depth.ts';
import { eventsOf, markHandedOut, readWaiting } from './outbox-events.ts';
import { tryTurn } from './outbox-turn.ts';
import type { LedgerDatabase, LedgerTransaction, WebhookDeliveryTable } from './schema.ts';
import { type Reader, readNowMs } from './settlement-view.ts';
import { endpointOfRow } from './webhooks.ts';

type Delivery = Omit<WebhookDeliveryTable, 'id' | 'claim_id' | 'error'>;

export function createSqlOutbox({ db, dialect, statements }: SqlContext): Outbox {
  const inTransaction = <Answer>(work: (reader: Reader) => Promise<Answer>): Promise<Answer> =>
    db.transaction().execute((trx) => work({ trx, dialect, statements }));
  const insertDeliveries = createInsert(db, dialect);

  return {
    handOut: () =>
      inTransaction(async (reader) => {
        if (!(await tryTurn(reader))) return 0;
        const waiting = await readWaiting(reader.trx, MAX_HANDED_OUT);
        if (waiting.length === 0) return 0;
        const endpoints = await reader.trx.selectFrom('webhook_endpoints').selectAll().execute();
        const nowMs = await readNowMs(reader);
        await insertDeliveries(reader.trx, deliveriesOf(waiting, endpoints.map(endpointOfRow), nowMs));
        await markHandedOut(reader.trx, waiting, nowMs);
        return waiting.length;
      }),

    claim: (claim) => inTransaction((reader) => claimDue(reader, claim)),

    async delivered({ id, claimId }) {
      await db.deleteFrom('webhook_deliveries').where('id', '=', id).where('claim_id', '=', claimId).execute();
    },

    failed: (ref, error, retryInMs) =>
      inTransaction(async (reader) => {
        const next_at_ms = (await readNowMs(reader)) + (retryInMs ?? 0);
        await heldRow(reader.trx, ref)
          .set({ state: retryInMs === null ? 'dead' : 'pending', error, claim_id: null, next_at_ms })
          .set((eb) => ({ failures: eb('failures', '+', 1) }))
          .execute();
      }),

    putBack: (ref) =>
      inTransaction(async (reader) => {
        await heldRow(reader.trx, ref)
          .set({ claim_id: null, next_at_ms: await readNowMs(reader) })
          .execute();
      }),

    listDead: (endpointId, after, max) =>
      inTransaction(async ({ trx }) => {
        const rows = await deadOf(trx, endpointId)
          .where('id', '>', after ?? 0)
          .orderBy('id')
          // One more than asked for tells whether there is a next page.
          .limit(max + 1)
          .execute();
        const page = rows.slice(0, max);
        const claimed = await claimedOf(trx, page);
        const deadLetters = page.map((row, index) => ({
          ...(claimed[index] as ClaimedDelivery),
          ...{ diedAtMs: row.next_at_ms, error: row.error ?? '' },
        }));
        return { deadLetters, next: rows.length > max ? (page.at(-1)?.id ?? null) : null };
      }),

    replay: (endpointId, id) =>
      inTransaction(async (reader) => {
        const { numUpdatedRows } = await reader.trx
          .updateTable('webhook_deliveries')
          .set({ state: 'pending', failures: 0, error: null, next_at_ms: await readNowMs(reader) })
          .where('endpoint_id', '=', endpointId)
          .where('state', '=', 'dead')
          .$if(id !== null, (query) => query.where('id', '=', id ?? 0))
          .executeTakeFirstOrThrow();
        return Number(numUpdatedRows);
      }),

    depth: () => inTransaction(readDepth),
  };
}

function createInsert(db: LedgerDatabase, dialect: SqlDialect) {
  return createSizedInsert(
    db,
    dialect,
  )<'webhook_deliveries', Delivery>({
    into: 'webhook_deliveries',
    isNumbered: true,
    columns: [
      ...(['endpoint_id', 'subject', 'source', 'event_number', 'state', 'failures'] as const),
      ...(['created_at_ms', 'next_at_ms'] as const),
    ],
    valuesOf: (row) => [
      ...[row.endpoint_id, row.subject, row.source, row.event_number, row.state, row.failures],
      ...[row.created_at_ms, row.next_at_ms],
    ],
  });
}

function deliveriesOf(
  events: readonly StoredEvent[],
  endpoints: readonly WebhookEndpoint[],
  nowMs: number,
): readonly Delivery[] {
  return events.flatMap((stored) =>
    endpoints
      .filter((endpoint) => wants(endpoint, stored.event.type, stored.event.atMs))
      .map((endpoint) => ({
        ...{ endpoint_id: endpoint.id, subject: subjectOf(stored), source: stored.kind, event_number: stored.number },
        ...{ state: 'pending' as const, failures: 0, created_at_ms: nowMs, next_at_ms: nowMs },
      })),
  );
}

/** Behind the endpoint's lock: two who claim at once would each take what the other's claim has made the first to wait. */
async function claimDue(reader: Reader, claim: DeliveryClaim): Promise<readonly ClaimedDelivery[]> {
  const { trx, dialect } = reader;
  const { endpointId, max, leaseMs, claimId } = claim;
  const turn = await trx
    .selectFrom('webhook_endpoints')
    .select('id')
    .where('id', '=', endpointId)
    .$if(dialect.locksRows, (query) => query.forUpdate().skipLocked())
    .executeTakeFirst();
  if (!turn) return [];
  const nowMs = await readNowMs(reader);
  const rows = await trx
    .selectFrom('webhook_deliveries as delivery')
    .selectAll()
    .where('endpoint_id', '=', endpointId)
    .where('state', '=', 'pending')
    .where('next_at_ms', '<=', nowMs)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('webhook_deliveries as earlier')
            .select('earlier.id')
            .whereRef('earlier.endpoint_id', '=', 'delivery.endpoint_id')
            .whereRef('earlier.subject', '=', 'delivery.subject')
            .whereRef('earlier.id', '<', 'delivery.id')
            .where('earlier.state', '=', 'pending'),
        ),
      ),
    )
    .orderBy('next_at_ms')
    .orderBy('id')
    .limit(max)
    .execute();
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const leased = { claim_id: claimId, next_at_ms: nowMs + leaseMs };
  await trx.updateTable('webhook_deliveries').set(leased).where('id', 'in', ids).execute();
  return claimedOf(trx, rows);
}

type DeliveryRow = Pick<WebhookDeliveryTable, 'endpoint_id' | 'source' | 'event_number' | 'failures'> & {
  readonly id: number;
};

async function claimedOf(trx: LedgerTransaction, rows: readonly DeliveryRow[]): Promise<readonly ClaimedDelivery[]> {
  const events = await eventsOf(trx, rows);
  return rows.map((row, index) => {
    const event = events[index] as ClaimedDelivery['event'];
    return { id: row.id, endpointId: row.endpoint_id, failures: row.failures, event };
  });
}

function heldRow(trx: LedgerTransaction, { id, claimId }: ClaimedRef) {
  return trx.updateTable('webhook_deliveries').where('id', '=', id).where('claim_id', '=', claimId);
}

function deadOf(trx: LedgerTransaction, endpointId: string) {
  return trx
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('endpoint_id', '=', endpointId)
    .where('state', '=', 'dead');
}
