/** Webhook endpoints in SQL. */
import { sql } from 'kysely';
import type { EventType } from '../../domain/outbox/outbox-event.ts';
import {
  decideRotation,
  MAX_ENDPOINTS,
  type NewEndpoint,
  type WebhookEndpoint,
} from '../../domain/outbox/webhook-endpoint.ts';
import type { EndpointReading, RotateSecretResult, Rotation, Webhooks } from '../../ports/webhooks.ts';
import type { SqlContext } from './context.ts';
import { awaitTurn } from './outbox-turn.ts';
import type { WebhookEndpointTable } from './schema.ts';
import { type Reader, readNowMs } from './settlement-view.ts';

export function createSqlWebhooks({ db, dialect, statements }: SqlContext): Webhooks {
  const inTransaction = <Answer>(work: (reader: Reader) => Promise<Answer>): Promise<Answer> =>
    db.transaction().execute((trx) => work({ trx, dialect, statements }));

  return {
    add: (added) =>
      inTransaction(async (reader) => {
        // One at a time, so that the count is true.
        await awaitTurn(reader);
        const rows = await reader.trx.selectFrom('webhook_endpoints').select('id').execute();
        if (rows.some(({ id }) => id === added.id)) return { kind: 'exists' };
        if (rows.length >= MAX_ENDPOINTS) return { kind: 'too_many' };
        const row = newRow(added, await readNowMs(reader));
        await reader.trx.insertInto('webhook_endpoints').values(row).execute();
        return { kind: 'added', endpoint: endpointOfRow(row) };
      }),

    async find(endpointId) {
      const row = await db.selectFrom('webhook_endpoints').selectAll().where('id', '=', endpointId).executeTakeFirst();
      return row ? endpointOfRow(row) : null;
    },

    async list() {
      const rows = await db.selectFrom('webhook_endpoints').selectAll().orderBy('id').execute();
      return rows.map(endpointOfRow);
    },

    read: () => inTransaction(readEndpoints),

    remove: (endpointId) =>
      inTransaction(async (reader) => {
        await awaitTurn(reader);
        await reader.trx.deleteFrom('webhook_deliveries').where('endpoint_id', '=', endpointId).execute();
        const { numDeletedRows } = await reader.trx
          .deleteFrom('webhook_endpoints')
          .where('id', '=', endpointId)
          .executeTakeFirstOrThrow();
        return numDeletedRows > 0n;
      }),

    rotate: (rotation) => inTransaction((reader) => rotateSecret(reader, rotation)),
  };
}

async function rotateSecret(reader: Reader, { endpointId, secret, keepOldMs }: Rotation): Promise<RotateSecretResult> {
  const { trx, dialect } = reader;
  const row = await trx
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('id', '=', endpointId)
    .$if(dialect.locksRows, (query) => query.forUpdate())
    .executeTakeFirst();
  if (!row) return { kind: 'absent' };
  const nowMs = await readNowMs(reader);
  const endpoint = endpointOfRow(row);
  if (decideRotation(endpoint, keepOldMs === 0, nowMs) === 'under_way') return { kind: 'under_way', endpoint };
  const old = keepOldMs === 0 ? null : row.secret;
  const next = { secret, old_secret: old, old_until_ms: old === null ? null : nowMs + keepOldMs };
  await trx.updateTable('webhook_endpoints').set(next).where('id', '=', endpointId).execute();
  return { kind: 'rotated', endpoint: endpointOfRow({ ...row, ...next }) };
}

async function readEndpoints({ trx }: Reader): Promise<readonly EndpointReading[]> {
  const rows = await trx.selectFrom('webhook_endpoints').selectAll().orderBy('id').execute();
  const counts = await trx
    .selectFrom('webhook_deliveries')
    .select(['endpoint_id', 'state', sql<number>`count(*)`.as('count')])
    .groupBy(['endpoint_id', 'state'])
    .execute();
  return rows.map((row) => {
    const countOf = (state: 'pending' | 'dead') =>
      Number(counts.find((each) => each.endpoint_id === row.id && each.state === state)?.count ?? 0);
    return { endpoint: endpointOfRow(row), deliveries: countOf('pending'), deadLetters: countOf('dead') };
  });
}

function newRow({ id, url, eventTypes, secret }: NewEndpoint, nowMs: number): WebhookEndpointTable {
  const event_types = eventTypes === null ? null : JSON.stringify(eventTypes);
  return { id, url, event_types, secret, old_secret: null, old_until_ms: null, created_at_ms: nowMs };
}

export function endpointOfRow(row: WebhookEndpointTable): WebhookEndpoint {
  const { id, url, event_types, secret, old_secret, old_until_ms, created_at_ms } = row;
  return {
    ...{ id, url, secret, createdAtMs: created_at_ms },
    eventTypes: event_types === null ? null : (JSON.parse(event_types) as readonly EventType[]),
    oldSecret: old_secret === null || old_until_ms === null ? null : { secret: old_secret, untilMs: old_until_ms },
  };
}
