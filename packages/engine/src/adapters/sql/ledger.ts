/**
 * The ledger in SQL, written once for every database over Kysely. The schema holds the laws; the pure decisions of the
 * domain are asked in the transaction that applies them. What differs between databases is in the dialect.
 */
import type { Ledger } from '../../ports/ledger.ts';
import type { SqlDialect } from './dialect.ts';
import { createSqlIdempotency } from './idempotency.ts';
import { createSqlInventoryCentre } from './inventory-centre.ts';
import { createSqlLedgerIdentity } from './ledger-identity.ts';
import { invokeMethod, ledgerOf } from './ledger-methods.ts';
import { createSqlOrders } from './orders.ts';
import { createSqlOutbox } from './outbox.ts';
import { createSqlRoster } from './roster.ts';
import { entryOfRow } from './rows.ts';
import { createSqlSales } from './sales.ts';
import type { LedgerDatabase } from './schema.ts';
import { createSqlQuarantine } from './set-aside.ts';
import { createSqlSettlement } from './settlement.ts';
import { createStatements } from './statements.ts';
import { createSqlWebhooks } from './webhooks.ts';

/** The database must have been migrated. Its errors come out as faults; what is no fault of the world stays as it is. */
export function createSqlLedger(db: LedgerDatabase, dialect: SqlDialect): Ledger {
  const ledger = ledgerWithErrors(db, dialect);
  return ledgerOf(async (call) => {
    try {
      return await invokeMethod(ledger, call);
    } catch (error) {
      throw dialect.faultOf(error) ?? error;
    }
  });
}

function ledgerWithErrors(db: LedgerDatabase, dialect: SqlDialect): Ledger {
  const context = { db, dialect, statements: createStatements(db, dialect) };
  return {
    sales: createSqlSales(context),
    settlement: createSqlSettlement(context),
    quarantine: createSqlQuarantine(context),
    inventoryCentre: createSqlInventoryCentre(context),

    orders: createSqlOrders(context),
    idempotency: createSqlIdempotency(context),
    outbox: createSqlOutbox(context),
    webhooks: createSqlWebhooks(context),
    roster: createSqlRoster(context),
    identity: createSqlLedgerIdentity(db),

    journal: {
      async read(saleId, cursor, max) {
        const rows = await db
          .selectFrom('journal')
          .selectAll()
          .where('sale_id', '=', saleId)
          .where('id', '>', cursor)
          .orderBy('id')
          // One more than asked for tells whether there is a next page.
          .limit(max + 1)
          .execute();
        const page = rows.slice(0, max);
        return { entries: page.map(entryOfRow), next: rows.length > max ? (page.at(-1)?.id ?? null) : null };
      },
    },
  };
}
