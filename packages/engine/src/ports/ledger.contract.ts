/** What every ledger promises: the contracts of its ports, and the laws on any sequence of calls. */
import { afterAll, beforeAll, describe } from 'vitest';
import { idempotencyContract } from './idempotency.contract.ts';
import { inventoryCentreContract } from './inventory-centre.contract.ts';
import { journalContract } from './journal.contract.ts';
import type { Ledger } from './ledger.ts';
import type { LedgerSubject } from './ledger-fixture.contract.ts';
import { ledgerIdentityContract } from './ledger-identity.contract.ts';
import { conservationContract } from './ledger-sequence.contract.ts';
import { limitGroupsContract } from './limit-groups.contract.ts';
import { orderLifeContract } from './order-life.contract.ts';
import { ordersContract } from './orders.contract.ts';
import { outboxContract } from './outbox.contract.ts';
import { returnsContract } from './returns.contract.ts';
import { rosterContract } from './roster.contract.ts';
import { saleKindsContract } from './sale-kinds.contract.ts';
import { salesContract } from './sales.contract.ts';
import { settlementContract } from './settlement.contract.ts';
import { quarantineContract } from './settlement-quarantine.contract.ts';
import { webhooksContract } from './webhooks.contract.ts';
import { withdrawalsContract } from './withdrawals.contract.ts';

/** Some go a thousand times over a wire, beside other suites on a busy machine. */
const SLOW_MS = 180_000;

export function ledgerContract(subject: LedgerSubject): void {
  describe(`the ${subject.name} ledger`, { timeout: SLOW_MS }, () => {
    let opened: { readonly ledger: Ledger; close(): Promise<void> };
    beforeAll(async () => {
      opened = await subject.open();
    });
    afterAll(() => opened.close());

    const ledger = (): Ledger => opened.ledger;
    salesContract(ledger);
    saleKindsContract(ledger);
    limitGroupsContract(ledger);
    ordersContract(ledger);
    orderLifeContract(ledger, subject.longestLife);
    settlementContract(ledger);
    quarantineContract(ledger);
    inventoryCentreContract(ledger);
    returnsContract(ledger);
    withdrawalsContract(ledger);
    journalContract(ledger);
    idempotencyContract(ledger);
    outboxContract(ledger);
    webhooksContract(ledger);
    rosterContract(ledger);
    ledgerIdentityContract(ledger);
    conservationContract(ledger);
  });
}
