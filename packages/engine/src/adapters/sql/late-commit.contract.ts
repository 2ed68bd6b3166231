/** Ids of events are taken before their transactions commit: one that commits late has a lower id than what was told already. */
import { expect, test } from 'vitest';
import type { Ledger } from '../../ports/ledger.ts';
import { newClaim, openSale } from '../../ports/ledger-fixture.contract.ts';
import { addEndpoint, claimOf, handOutAll } from '../../ports/outbox.contract.ts';
import type { LedgerDatabase } from './schema.ts';

export interface OpenLateLedger {
  readonly ledger: Ledger;
  /** The very database, for a transaction that takes its time. */
  readonly db: LedgerDatabase;
  close(): Promise<void>;
}

export function lateCommitContract(open: () => Promise<OpenLateLedger>): void {
  test('an event that commits late is handed out (K31)', async () => {
    const { ledger, db, close } = await open();
    const saleId = await openSale(ledger);
    await ledger.settlement.settle([newClaim(saleId, 1)]);
    await handOutAll(ledger);
    const endpointId = await addEndpoint(ledger);
    const numbersTold = async () => {
      const { claimId, deliveries } = await claimOf(ledger, endpointId);
      for (const { id } of deliveries) await ledger.outbox.delivered({ id, claimId });
      return deliveries.map(({ event }) => event.number);
    };

    const [written, mayCommit] = [signal(), signal()];
    const { orderId, buyerId } = newClaim(saleId, 1);
    const late = db.transaction().execute(async (trx) => {
      const about = { order_id: orderId, sale_id: saleId, buyer_id: buyerId, units: 1 };
      const atMs = Date.now() + 60_000;
      await trx
        .insertInto('order_events')
        .values({ ...about, type: 'order.paid', state: 'paid', at_ms: atMs, reference: null, amount: null })
        .execute();
      written.give();
      await mayCommit.given;
    });
    await written.given;
    await ledger.settlement.settle([2, 3, 4, 5].map((seq) => newClaim(saleId, seq)));
    await handOutAll(ledger);
    const early = await numbersTold();
    expect(early).toHaveLength(4);
    mayCommit.give();
    await late;
    await handOutAll(ledger);
    const [lateNumber = Number.NaN, ...rest] = await numbersTold();
    expect(rest).toEqual([]);
    expect(lateNumber).toBeLessThan(Math.min(...early));
    expect(await ledger.outbox.depth()).toMatchObject({ events: 0, deliveries: 0 });
    await close();
  });
}

function signal() {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give: () => give() };
}
