/** Idempotency keys in SQL. */
import {
  decideReservation,
  type KeptAnswer,
  type KeyBounds,
  type KeyedCall,
  type KnownKey,
  type Reservation,
} from '../../domain/idempotency/keyed-call.ts';
import { type Idempotency, MAX_FORGOTTEN } from '../../ports/idempotency.ts';
import type { SqlContext } from './context.ts';
import type { IdempotencyKeyTable, LedgerTransaction } from './schema.ts';

export function createSqlIdempotency({ db, dialect }: SqlContext): Idempotency {
  const reserveOnce = (call: KeyedCall, bounds: KeyBounds): Promise<Reservation> =>
    db.transaction().execute(async (trx) => {
      const row = await trx
        .selectFrom('idempotency_keys')
        .selectAll()
        .where('id', '=', idOf(call))
        .$if(dialect.locksRows, (query) => query.forUpdate())
        .executeTakeFirst();
      const { nowMs } = await trx.selectNoFrom(dialect.nowMs.as('nowMs')).executeTakeFirstOrThrow();
      const reservation = decideReservation(row ? knownKeyOf(row, call) : null, call, bounds, nowMs);
      if (reservation.kind !== 'reserved') return reservation;
      if (row) await trx.updateTable('idempotency_keys').set(rowOf(call, nowMs)).where('id', '=', row.id).execute();
      else await trx.insertInto('idempotency_keys').values(rowOf(call, nowMs)).execute();
      await forget(trx, nowMs - bounds.lifeMs);
      if (bounds.maxKeys !== null) await makeRoom(trx, call.scope, bounds.maxKeys);
      return reservation;
    });

  async function isThere(call: KeyedCall): Promise<boolean> {
    const row = await db.selectFrom('idempotency_keys').select('id').where('id', '=', idOf(call)).executeTakeFirst();
    return row !== undefined;
  }

  return {
    async reserve(call, bounds) {
      try {
        return await reserveOnce(call, bounds);
      } catch (error) {
        // A row that is not there yet cannot be locked: another may have written it first, and then it is read.
        if (!dialect.locksRows || !(await isThere(call))) throw error;
        return reserveOnce(call, bounds);
      }
    },

    async keep(call, { status, mediaType, language, body }) {
      await db
        .updateTable('idempotency_keys')
        .set({ status, media_type: mediaType, language, body })
        .where('id', '=', idOf(call))
        .where('holder', '=', call.holder)
        .where('status', 'is', null)
        .execute();
    },

    async letGo(call) {
      await db
        .deleteFrom('idempotency_keys')
        .where('id', '=', idOf(call))
        .where('holder', '=', call.holder)
        .where('status', 'is', null)
        .execute();
    },
  };
}

async function forget(trx: LedgerTransaction, bornBeforeMs: number): Promise<void> {
  const old = await trx
    .selectFrom('idempotency_keys')
    .select('id')
    .where('reserved_at_ms', '<=', bornBeforeMs)
    .limit(MAX_FORGOTTEN)
    .execute();
  await remove(trx, old);
}

async function makeRoom(trx: LedgerTransaction, scope: string, maxKeys: number): Promise<void> {
  const oldest = await trx
    .selectFrom('idempotency_keys')
    .select('id')
    .where('scope', '=', scope)
    .orderBy('reserved_at_ms', 'desc')
    .orderBy('id')
    .limit(MAX_FORGOTTEN)
    .offset(maxKeys)
    .execute();
  await remove(trx, oldest);
}

async function remove(trx: LedgerTransaction, rows: readonly { readonly id: string }[]): Promise<void> {
  if (rows.length === 0) return;
  const ids = rows.map(({ id }) => id);
  await trx.deleteFrom('idempotency_keys').where('id', 'in', ids).execute();
}

/** A scope has no space. */
function idOf({ scope, key }: KeyedCall): string {
  return `${scope} ${key}`;
}

function rowOf(call: KeyedCall, reservedAtMs: number): IdempotencyKeyTable {
  const { scope, fingerprint, holder } = call;
  return {
    ...{ id: idOf(call), scope, fingerprint, holder, reserved_at_ms: reservedAtMs },
    ...{ status: null, media_type: null, language: null, body: null },
  };
}

function knownKeyOf(row: IdempotencyKeyTable, call: KeyedCall): KnownKey {
  const { scope, fingerprint, holder, reserved_at_ms: reservedAtMs } = row;
  return { scope, key: call.key, fingerprint, holder, reservedAtMs, answer: answerOf(row) };
}

function answerOf({ status, media_type, language, body }: IdempotencyKeyTable): KeptAnswer | null {
  if (status === null || media_type === null || body === null) return null;
  return { status, mediaType: media_type, language, body };
}
