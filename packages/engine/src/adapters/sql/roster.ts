/** Who works, in SQL: a lease each, which nobody else asks for. */
import { PRESENT_MS, type Roster } from '../../ports/roster.ts';
import type { SqlContext } from './context.ts';
import { readNowMs } from './settlement-view.ts';

const PREFIX = 'worker/';
/** What is left of workers that died is taken away by the others, long after it says anything. */
const FORGOTTEN_AFTER_MS = 60_000;

export function createSqlRoster({ db, dialect }: SqlContext): Roster {
  return {
    present: (worker) =>
      db.transaction().execute(async (trx) => {
        const name = `${PREFIX}${worker}`;
        const nowMs = await readNowMs({ trx, dialect });
        const next = { expires_at_ms: nowMs + PRESENT_MS };
        const { numUpdatedRows } = await trx
          .updateTable('leases')
          .set(next)
          .where('name', '=', name)
          .executeTakeFirstOrThrow();
        if (numUpdatedRows === 0n) {
          await trx
            .insertInto('leases')
            .values({ name, holder: worker, ...next })
            .execute();
        }
        const rows = await trx.selectFrom('leases').selectAll().where('name', 'like', `${PREFIX}%`).execute();
        const forgotten = rows.filter((row) => row.expires_at_ms <= nowMs - FORGOTTEN_AFTER_MS).map((row) => row.name);
        for (const old of forgotten.sort()) await trx.deleteFrom('leases').where('name', '=', old).execute();
        return rows
          .filter((row) => row.expires_at_ms > nowMs || row.name === name)
          .map((row) => row.holder)
          .sort();
      }),

    async leave(worker) {
      await db.deleteFrom('leases').where('name', '=', `${PREFIX}${worker}`).execute();
    },
  };
}
