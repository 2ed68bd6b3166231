/** How much waits in the outbox. */
import { sql } from 'kysely';
import type { OutboxDepth } from '../../ports/outbox.ts';
import type { LedgerTransaction } from './schema.ts';
import { type Reader, readNowMs } from './settlement-view.ts';

const COUNT = sql<number>`count(*)`.as('count');

export async function readDepth(reader: Reader): Promise<OutboxDepth> {
  const { trx } = reader;
  const ofOrders = await waitingOf(trx, 'order_events');
  const ofSales = await waitingOf(trx, 'sale_events');
  const states = await trx.selectFrom('webhook_deliveries').select(['state', COUNT]).groupBy('state').execute();
  const countOf = (state: 'pending' | 'dead') => Number(states.find((row) => row.state === state)?.count ?? 0);
  const oldest = await trx
    .selectFrom('webhook_deliveries')
    .select('created_at_ms')
    .where('state', '=', 'pending')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  const sinceMs = [ofOrders.sinceMs, ofSales.sinceMs, oldest?.created_at_ms].filter((ms) => ms !== undefined);
  const nowMs = await readNowMs(reader);
  return {
    ...{ events: ofOrders.count + ofSales.count, deliveries: countOf('pending'), deadLetters: countOf('dead') },
    oldestAgeMs: sinceMs.length === 0 ? null : Math.max(0, nowMs - Math.min(...sinceMs)),
  };
}

async function waitingOf(trx: LedgerTransaction, table: 'order_events' | 'sale_events') {
  const counted = await trx
    .selectFrom(table)
    .select(COUNT)
    .where('handed_out_at_ms', 'is', null)
    .executeTakeFirstOrThrow();
  const oldest = await trx
    .selectFrom(table)
    .select('at_ms')
    .where('handed_out_at_ms', 'is', null)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return { count: Number(counted.count), sinceMs: oldest?.at_ms };
}
