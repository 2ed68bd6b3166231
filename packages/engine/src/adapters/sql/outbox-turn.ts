/**
 * Whose turn it is to hand events out, or to take an endpoint away: one at a time in a deployment. Two who handed out at once
 * could write a later event of an order before an earlier one, and one who takes an endpoint away would miss deliveries that
 * are being written for it.
 */
import type { Reader } from './settlement-view.ts';

const ROW = 'outbox';

/** False: another has it now. */
export async function tryTurn({ trx, dialect }: Pick<Reader, 'trx' | 'dialect'>): Promise<boolean> {
  if (!dialect.locksRows) return true;
  const row = trx.selectFrom('leases').select('name').where('name', '=', ROW).forUpdate().skipLocked();
  return (await row.executeTakeFirst()) !== undefined;
}

/** Waits for it. */
export async function awaitTurn({ trx, dialect }: Pick<Reader, 'trx' | 'dialect'>): Promise<void> {
  if (!dialect.locksRows) return;
  await trx.selectFrom('leases').select('name').where('name', '=', ROW).forUpdate().executeTakeFirstOrThrow();
}
