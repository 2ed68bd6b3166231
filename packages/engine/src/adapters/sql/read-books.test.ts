/** The books of a ledger in which somebody changed one figure by hand, with the schema's guards taken away. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { compareBooks } from '../../domain/reconciliation/compare-books.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { newClaim, openSale } from '../../ports/ledger-fixture.contract.ts';
import type { SqliteDatabase } from './dialects/sqlite/library.ts';
import { databaseOf, ledgerOn, openDatabase } from './dialects/sqlite/open-ledger.ts';
import { readBooks } from './read-books.ts';

let database: SqliteDatabase;
let ledger: Ledger;
let saleId: string;

beforeEach(async () => {
  database = await openDatabase(':memory:');
  ledger = (await ledgerOn(database)).ledger;
  saleId = await openSale(ledger, { totalUnits: 10, limitUnits: 2 });
  const claims = [
    newClaim(saleId, 1, { units: 2 }),
    newClaim(saleId, 2, { units: 1 }),
    newClaim(saleId, 3, { units: 3 }),
  ];
  await ledger.settlement.settle(claims);
  await ledger.orders.notePayment({ orderId: `${saleId}/order-1`, reference: 'r', outcome: 'paid', amount: null });
  await ledger.settlement.quarantine(newClaim(saleId, 4), 'cannot be read');
});
afterEach(() => database.close());

async function differences() {
  return (await readBooks(databaseOf(database).db)).flatMap(compareBooks);
}

const SALE = `where id = 'S'`;
const QUOTA = `where sale_id = 'S' and segment = 0 and channel = 'web'`;
const ORDER = `where order_id = 'S/order-2'`;

/** What is changed, and which counter is found wrong against what. */
const TAMPERED: readonly (readonly [statement: string, found: readonly string[]])[] = [
  [
    `update quotas set held_units = held_units + 1 ${QUOTA}`,
    ['quota main/0/web held orders 2 1', 'quota main/0/web held journal 2 1'],
  ],
  [
    `update quotas set sold_units = sold_units - 1 ${QUOTA}`,
    ['quota main/0/web sold orders 1 2', 'quota main/0/web sold journal 1 2'],
  ],
  [
    `update quotas set quarantined_units = 0 ${QUOTA}`,
    ['sale quarantined quarantine 0 1', 'quota main/0/web quarantined journal 0 1'],
  ],
  [`update orders set state = 'expired' ${ORDER}`, ['quota main/0/web held orders 1 0', 'buyer buyer-2 orders 1 0']],
  [`update orders set units = 2 ${ORDER}`, ['quota main/0/web held orders 1 2', 'buyer buyer-2 orders 1 2']],
  [
    `update orders set channel = 'nowhere' ${ORDER}`,
    ['quota main/0/web held orders 1 0', 'quota main/0/nowhere held orders 0 1'],
  ],
  [`update buyers set units = 0 where buyer_id = 'buyer-2'`, ['buyer buyer-2 orders 0 1']],
  [`delete from quarantine where sale_id = 'S'`, ['sale quarantined quarantine 1 0']],
  [
    `update sales set total_units = 11, free_units = free_units + 1 ${SALE}`,
    ['sale total journal 11 10', 'sale free journal 1 0'],
  ],
  [`update quotas set allotted_units = 11 ${QUOTA}`, ['sale allotted quotas 10 11']],
  [
    `delete from journal where to_account = 'sold'`,
    ['quota main/0/web held journal 1 3', 'quota main/0/web sold journal 2 0'],
  ],
];

describe('the books of a sale', () => {
  test('agree as long as nobody meddles', async () => {
    expect(await differences()).toEqual([]);
    expect((await readBooks(databaseOf(database).db)).map((books) => books.orders.length)).toEqual([2]);
  });

  test('count a buyer over all sales of a limit group, and tell once what is wrong', async () => {
    const grouped = { limitGroup: 'skins', limitUnits: 2 };
    const [first, second] = [await openSale(ledger, grouped), await openSale(ledger, grouped)];
    const ann = { buyerId: 'ann' };
    await ledger.settlement.settle([newClaim(first, 1, ann), newClaim(second, 1, ann), newClaim(second, 2)]);
    expect(await differences()).toEqual([]);
    database.exec(`update buyers set units = 1 where limit_scope = 'group:skins' and buyer_id = 'ann'`);
    expect((await differences()).map((each) => Object.values(each).join(' '))).toEqual(['buyer ann orders 1 2']);
  });

  test.each(TAMPERED)('show it when somebody ran: %s', async (statement, found) => {
    for (const { name } of database.prepare(`select name from sqlite_master where type = 'trigger'`).all())
      database.exec(`drop trigger ${String(name)}`);
    database.exec(statement.replaceAll(`'S'`, `'${saleId}'`).replaceAll(`'S/`, `'${saleId}/`));
    expect((await differences()).map((each) => Object.values(each).join(' '))).toEqual(found);
  });
});
