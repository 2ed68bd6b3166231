/** The ledger as one store: the ports that share its transactions. What was sold is what it says. */
import type { Idempotency } from './idempotency.ts';
import type { InventoryCentre } from './inventory-centre.ts';
import type { Journal } from './journal.ts';
import type { LedgerIdentity } from './ledger-identity.ts';
import type { Orders } from './orders.ts';
import type { Outbox } from './outbox.ts';
import type { Quarantine } from './quarantine.ts';
import type { Roster } from './roster.ts';
import type { Sales } from './sales.ts';
import type { Settlement } from './settlement.ts';
import type { Webhooks } from './webhooks.ts';

export interface Ledger {
  readonly sales: Sales;
  readonly orders: Orders;
  readonly settlement: Settlement;
  readonly quarantine: Quarantine;
  readonly inventoryCentre: InventoryCentre;
  readonly journal: Journal;
  readonly idempotency: Idempotency;
  readonly outbox: Outbox;
  readonly webhooks: Webhooks;
  readonly roster: Roster;
  readonly identity: LedgerIdentity;
}
