/**
 * A lease on the whole ledger, for what one process at a time may do: an embedded gate's units are in its memory, so a second
 * one beside it would sell them again. (The ledger itself would not: each gate opens epochs of its own, and what the other
 * claims after that is stale.)
 *
 * Promises: a lease whose holder lives is not given to another; one whose holder was killed is free after LEASE_MS. A holder
 * that cannot reach the database keeps it for as long as nobody else asks, and is told when somebody has it.
 */
import { Fault } from '../../domain/fault.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SqlDialect } from './dialect.ts';
import type { LedgerDatabase } from './schema.ts';
import { readNowMs } from './settlement-view.ts';

const LEASE_MS = 10_000;
const RENEW_MS = 3_000;
const POLL_MS = 500;

export interface LeaseRequest {
  readonly db: LedgerDatabase;
  readonly dialect: SqlDialect;
  readonly clock: Clock;
  readonly name: string;
  /** Who holds it, for people to find: other than every other holder. */
  readonly holder: string;
  /** Somebody else has it now. */
  readonly onLost: (fault: Fault) => void;
}

export interface Lease {
  release(): Promise<void>;
}

/** Waits for the lease of a holder that does not renew it; throws `ledger_held` at once when one does. */
export async function holdLease(request: LeaseRequest): Promise<Lease> {
  const { clock, onLost } = request;
  await take(request);
  let isOver = false;
  let callOff = renewLater();

  function renewLater(): () => void {
    return clock.after(RENEW_MS, () => {
      renew(request).then(
        (isOurs) => {
          if (isOver) return;
          if (isOurs) callOff = renewLater();
          else onLost(new Fault('ledger_held', 'Another Sluice process sells from this ledger now.'));
        },
        (error: unknown) => {
          if (isOver) return;
          if (error instanceof Fault || request.dialect.faultOf(error)) callOff = renewLater();
          else throw error;
        },
      );
    });
  }

  return {
    async release() {
      isOver = true;
      callOff();
      await request.db
        .deleteFrom('leases')
        .where('name', '=', request.name)
        .where('holder', '=', request.holder)
        .execute();
    },
  };
}

async function take(request: LeaseRequest): Promise<void> {
  const { clock, db, name } = request;
  let firstExpiry: number | null = null;
  for (;;) {
    const seen = await tryToTake(request);
    if (seen === null) return;
    firstExpiry ??= seen.expiresAtMs;
    if (seen.expiresAtMs > firstExpiry) {
      throw new Fault('ledger_held', `Another Sluice process sells from this ledger: ${seen.holder}. Stop it first.`);
    }
    await new Promise<void>((resolve) => clock.after(POLL_MS, resolve));
  }

  /** Null: it is ours. */
  async function tryToTake({ dialect, holder }: LeaseRequest) {
    return db.transaction().execute(async (trx) => {
      const row = await trx
        .selectFrom('leases')
        .selectAll()
        .where('name', '=', name)
        .$if(dialect.locksRows, (query) => query.forUpdate())
        .executeTakeFirst();
      const nowMs = await readNowMs({ trx, dialect });
      if (row && row.expires_at_ms > nowMs) return { holder: row.holder, expiresAtMs: row.expires_at_ms };
      const next = { holder, expires_at_ms: nowMs + LEASE_MS };
      if (row) await trx.updateTable('leases').set(next).where('name', '=', name).execute();
      else
        await trx
          .insertInto('leases')
          .values({ name, ...next })
          .execute();
      return null;
    });
  }
}

/** Whether it is still ours; expired or not, as long as nobody took it. */
async function renew({ db, dialect, name, holder }: LeaseRequest): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const expiresAtMs = (await readNowMs({ trx, dialect })) + LEASE_MS;
    const { numUpdatedRows } = await trx
      .updateTable('leases')
      .set({ expires_at_ms: expiresAtMs })
      .where('name', '=', name)
      .where('holder', '=', holder)
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0n;
  });
}
