/**
 * The ledger in memory: the specification that runs. It applies the pure decisions to rows that obey the laws of the schema,
 * each call in one step that nothing can come between, and forgets everything with its process.
 */
import type { Clock } from '../../ports/clock.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { createMemoryIdempotency } from './ledger-idempotency.ts';
import { createMemoryInventoryCentre } from './ledger-inventory-centre.ts';
import { createMemoryOrders } from './ledger-orders.ts';
import { createMemoryOutbox } from './ledger-outbox.ts';
import { createMemoryQuarantine } from './ledger-quarantine.ts';
import { createMemoryRoster } from './ledger-roster.ts';
import { emptyRows } from './ledger-rows.ts';
import { createMemorySales } from './ledger-sales.ts';
import { createMemorySettlement } from './ledger-settlement.ts';
import { createMemoryWebhooks } from './ledger-webhooks.ts';

export function createMemoryLedger({ clock }: { readonly clock: Clock }): Ledger {
  const rows = emptyRows();
  return {
    sales: createMemorySales(rows, clock),
    settlement: createMemorySettlement(rows, clock),
    quarantine: createMemoryQuarantine(rows, clock),
    inventoryCentre: createMemoryInventoryCentre(rows),
    orders: createMemoryOrders(rows, clock),
    idempotency: createMemoryIdempotency(clock),
    outbox: createMemoryOutbox(rows, clock),
    webhooks: createMemoryWebhooks(rows, clock),
    roster: createMemoryRoster(clock),
    // It ends with its process, and nothing of it outlives it elsewhere.
    identity: { read: async () => 'memory' },
    journal: {
      async read(saleId, cursor, max) {
        const entries = rows.journal.get(saleId) ?? [];
        const end = cursor + max;
        return { entries: entries.slice(cursor, end), next: end < entries.length ? end : null };
      },
    },
  };
}
