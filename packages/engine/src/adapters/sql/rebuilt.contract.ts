/**
 * The tables of a ledger are what its journal makes of them, whatever has happened; and when somebody changed one of them by
 * hand, with the schema's guards taken away, the difference is named.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compareBooks } from '../../domain/reconciliation/compare-books.ts';
import { compareRebuilt } from '../../domain/reconciliation/compare-rebuilt.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { newClaim, openSale, quotaKey, REGION, stockOf } from '../../ports/ledger-fixture.contract.ts';
import { onRandomSequences, runSequence } from '../../ports/ledger-sequence.contract.ts';
import { readBooks } from './read-books.ts';
import { readRebuilt } from './read-rebuilt.ts';
import type { LedgerDatabase } from './schema.ts';

export interface OpenRebuilt {
  readonly ledger: Ledger;
  readonly db: LedgerDatabase;
  /** Statements as anybody may send them. */
  run(text: string): Promise<unknown>;
  /** Triggers fire no more. */
  dropGuards(): Promise<void>;
  close(): Promise<void>;
}

export interface RebuiltSubject {
  readonly name: string;
  open(): Promise<OpenRebuilt>;
}

const SLOW_MS = 180_000;
const BUYERS = 60;

const QUOTA = `where sale_id = 'S' and segment = 0 and channel = 'web'`;
const ORDER = `where order_id = 'S/order-2'`;

/** What is changed, how it is taken back, and what is found meanwhile. */
const TAMPERED: readonly (readonly [table: string, change: string, back: string, found: readonly string[]])[] = [
  [
    'sales',
    `update sales set total_units = total_units + 1, free_units = free_units + 1 where id = 'S'`,
    `update sales set total_units = total_units - 1, free_units = free_units - 1 where id = 'S'`,
    ['sale total journal 11 10', 'sale free journal 1 0'],
  ],
  [
    'quotas',
    `update quotas set held_units = held_units - 1, sold_units = sold_units + 1 ${QUOTA}`,
    `update quotas set held_units = held_units + 1, sold_units = sold_units - 1 ${QUOTA}`,
    ['quota main/0/web held journal 0 1', 'quota main/0/web sold journal 3 2'],
  ],
  [
    'quotas',
    `update quotas set allotted_units = allotted_units + 3 ${QUOTA}`,
    `update quotas set allotted_units = allotted_units - 3 ${QUOTA}`,
    ['quota main/0/web allotted journal 13 10', 'quota main/0/web at the gate journal 10 7'],
  ],
  [
    'orders',
    `update orders set state = 'expired' ${ORDER}`,
    `update orders set state = 'pending' ${ORDER}`,
    [
      'order S/order-2 held in main/0/web journal 0 1',
      'order S/order-2 events expired, 1 of buyer-2 pending, 1 of buyer-2',
    ],
  ],
  [
    'orders',
    `update orders set units = 2 ${ORDER}`,
    `update orders set units = 1 ${ORDER}`,
    [
      'order S/order-2 held in main/0/web journal 2 1',
      'order S/order-2 events pending, 2 of buyer-2 pending, 1 of buyer-2',
    ],
  ],
  [
    'orders',
    `update orders set buyer_id = 'thief' ${ORDER}`,
    `update orders set buyer_id = 'buyer-2' ${ORDER}`,
    ['order S/order-2 events pending, 1 of thief pending, 1 of buyer-2'],
  ],
  [
    'orders',
    `update orders set channel = 'app' ${ORDER}`,
    `update orders set channel = 'web' ${ORDER}`,
    ['order S/order-2 held in main/0/app journal 1 0', 'order S/order-2 held in main/0/web journal 0 1'],
  ],
  [
    'buyers',
    `update buyers set units = 2 where limit_scope = 'S' and buyer_id = 'buyer-2'`,
    `update buyers set units = 1 where limit_scope = 'S' and buyer_id = 'buyer-2'`,
    ['buyer buyer-2 journal 2 1'],
  ],
  [
    'buyers',
    `insert into buyers values ('S', 'nobody', 2, 1)`,
    `delete from buyers where limit_scope = 'S' and buyer_id = 'nobody'`,
    ['buyer nobody journal 1 0'],
  ],
  [
    'moves',
    `update moves set state = 'issued' where sale_id = 'S'`,
    `update moves set state = 'applied' where sale_id = 'S'`,
    ['quota main/0/web in transit journal 10 0', 'quota main/0/web at the gate journal -3 7'],
  ],
  [
    'releases',
    `update releases set state = 'open' where sale_id = 'S'`,
    `update releases set state = 'delivered' where sale_id = 'S'`,
    ['quota main/0/web in transit journal 3 0', 'quota main/0/web at the gate journal 4 7'],
  ],
  [
    'order_events',
    `update order_events set state = 'paid' ${ORDER}`,
    `update order_events set state = 'pending' ${ORDER}`,
    ['order S/order-2 events pending, 1 of buyer-2 paid, 1 of buyer-2'],
  ],
  [
    'journal',
    `update journal set units = 5 where sale_id = 'S' and to_account = 'sold'`,
    `update journal set units = 2 where sale_id = 'S' and to_account = 'sold'`,
    [
      'quota main/0/web held journal 1 -2',
      'quota main/0/web sold journal 2 5',
      'order S/order-1 held in main/0/web journal 0 -3',
      'order S/order-1 sold in main/0/web journal 2 5',
    ],
  ],
];

export function rebuiltContract(subject: RebuiltSubject): void {
  describe(`balances rebuilt from the ${subject.name} journal`, () => {
    let opened: OpenRebuilt;
    beforeAll(async () => {
      opened = await subject.open();
    });
    afterAll(() => opened.close());

    async function found(saleId?: string): Promise<readonly string[]> {
      const sales = (await readRebuilt(opened.db)).filter((sale) => saleId === undefined || sale.saleId === saleId);
      expect(sales.length).toBeGreaterThan(0);
      return sales.flatMap(compareRebuilt).map((each) => Object.values(each).join(' '));
    }

    test('are the tables, after any sequence (seed printed)', { timeout: SLOW_MS }, async () => {
      await onRandomSequences(async (sequence) => {
        await runSequence(opened.ledger, sequence);
      });
      expect(await found()).toEqual([]);
    });

    test('are the tables after a crowd, and while it is under way', { timeout: SLOW_MS }, async () => {
      const saleId = await openSale(opened.ledger, { totalUnits: BUYERS, holdMs: 0 });
      let isOver = false;
      const reading = (async () => {
        let readings = 0;
        for (; !isOver; readings++) expect(await found(saleId)).toEqual([]);
        return readings;
      })();
      await crowd(opened.ledger, saleId);
      isOver = true;
      expect(await reading).toBeGreaterThan(0);
      expect(await found(saleId)).toEqual([]);
      const { orders } = await opened.ledger.orders.list({ saleId }, null, BUYERS * 2);
      const states = new Set(orders.map(({ state }) => state));
      expect([...states].sort()).toEqual(['cancelled', 'expired', 'paid', 'refunded', 'refused']);
    });

    test('keep what was delivered sold, when its money goes back', { timeout: SLOW_MS }, async () => {
      const saleId = await openSale(opened.ledger, { totalUnits: 10 });
      const { orders, settlement } = opened.ledger;
      await settlement.settle([newClaim(saleId, 1), newClaim(saleId, 2)]);
      const [delivered, other] = [`${saleId}/order-1`, `${saleId}/order-2`];
      for (const orderId of [delivered, other])
        await orders.notePayment({ reference: orderId, orderId, outcome: 'paid', amount: null });
      await orders.fulfil(delivered);
      for (const orderId of [delivered, other])
        await orders.notePayment({ reference: orderId, orderId, outcome: 'refunded', amount: null });
      expect((await orders.find(delivered))?.state).toBe('refunded');
      const sold = (await readRebuilt(opened.db)).find((sale) => sale.saleId === saleId)?.quotas;
      expect(sold?.reduce((units, { soldUnits }) => units + soldUnits, 0)).toBe(1);
      expect(await found(saleId)).toEqual([]);
      const books = (await readBooks(opened.db)).filter((sale) => sale.saleId === saleId);
      expect(books.flatMap(compareBooks)).toEqual([]);
    });

    test('tell who tampered with a table', { timeout: SLOW_MS }, async () => {
      const saleId = await openSale(opened.ledger, { totalUnits: 10, limitUnits: 2 });
      const claims = [newClaim(saleId, 1, { units: 2 }), newClaim(saleId, 2), newClaim(saleId, 3, { units: 3 })];
      const outcomes = await opened.ledger.settlement.settle(claims);
      for (const outcome of outcomes)
        if ('release' in outcome && outcome.release)
          await opened.ledger.inventoryCentre.finishRelease(outcome.release.id);
      await opened.ledger.orders.notePayment({
        ...{ orderId: `${saleId}/order-1`, reference: `${saleId}/r`, outcome: 'paid', amount: null },
      });
      expect(await found()).toEqual([]);
      await opened.dropGuards();
      const own = (text: string) => text.replaceAll(`'S'`, `'${saleId}'`).replaceAll('S/order', `${saleId}/order`);
      for (const [table, change, back, differences] of TAMPERED) {
        await opened.run(own(change));
        expect({ table, found: await found() }).toEqual({ table, found: differences.map(own) });
        await opened.run(own(back));
      }
      expect(await found()).toEqual([]);
    });
  });
}

/** Claims, payments, ends, refunds, stock in and out, and a rebuild in the middle, several at a time. */
async function crowd(ledger: Ledger, saleId: string): Promise<void> {
  const { orders, settlement, inventoryCentre: centre } = ledger;
  await centre.receiveStock(saleId, { id: 'lorry', units: 20 });
  const claims = Array.from({ length: BUYERS }, (_, index) =>
    newClaim(saleId, index + 1, index % 10 === 8 ? { units: 3 } : {}),
  );
  const money = (orderId: string, outcome: 'paid' | 'refunded') =>
    orders.notePayment({ reference: `${orderId}/r`, orderId, outcome, amount: null });
  const live = async (seq: number) => {
    const { orderId } = newClaim(saleId, seq);
    if (seq % 5 === 0) await money(orderId, 'paid');
    await settlement.settle(claims.slice(seq - 1, seq));
    if (seq % 5 === 1) await money(orderId, 'paid');
    if (seq % 5 === 2) await orders.cancel(orderId, null);
    if (seq % 20 === 11) await orders.fulfil(orderId);
    if (seq % 10 === 1) await money(orderId, 'refunded');
  };
  const stock = async () => {
    await centre.allot({ moveId: `${saleId}/a`, quota: quotaKey(saleId, 1), units: 8 });
    await centre.finishMove(`${saleId}/a`);
    await centre.issueReturn({ moveId: `${saleId}/b`, quota: quotaKey(saleId, 1), units: 5 });
    await centre.finishReturn(`${saleId}/b`, 5);
    await centre.openWithdrawal({ id: `${saleId}/w`, saleId, delivery: 'away', units: 4 });
    await centre.closeWithdrawal(`${saleId}/w`);
    await centre.allot({ moveId: `${saleId}/c`, quota: quotaKey(saleId, 0), units: 2 });
    const segment = { saleId, region: REGION, segment: 1 };
    await centre.openEpoch({ segment, fromEpoch: 0, cutThrough: { epoch: 0, seq: 0 }, queued: [] });
  };
  await Promise.all([stock(), ...claims.map((_, index) => live(index + 1))]);
  while ((await orders.expireDue(10)).orders.length > 0);
  for (const { id } of (await stockOf(ledger, saleId)).openReleases.slice(0, 5)) await centre.finishRelease(id);
}
