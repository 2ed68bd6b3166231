import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { plainOffer } from '../../../domain/sale/offer.ts';
import { faultOf, newClaim, newDraft, openSale } from '../../../ports/ledger-fixture.contract.ts';
import { ledgerOn, openDatabase } from '../dialects/sqlite/open-ledger.ts';
import { createSqliteLedger } from '../embedded/create-sqlite-ledger.ts';

/** A worker that starts from source compiles as it goes: seconds on a busy machine, each time. */
const SLOW_START_MS = 120_000;

describe('migrations', { timeout: SLOW_START_MS }, () => {
  let file: string;
  beforeEach(() => {
    file = join(mkdtempSync(join(tmpdir(), 'sluice-migrate-')), 'ledger.db');
  });
  afterEach(() => rmSync(join(file, '..'), { recursive: true }));

  test('run once', async () => {
    const first = await createSqliteLedger({ file });
    const saleId = await openSale(first);
    await first.close();
    const second = await createSqliteLedger({ file });
    expect(await second.sales.find(saleId)).not.toBeNull();
    await second.close();
  });

  test('leave sales that were there as they were', async () => {
    const database = await openDatabase(file);
    await ledgerOn(database);
    // As the step before the kinds of sale had left it.
    for (const column of ['kind', 'items', 'price_amount', 'price_currency', 'price_points', 'time_zone'])
      database.exec(`alter table sales drop column ${column}`);
    database.exec('alter table sales drop column generation; alter table releases drop column destination');
    const later = [
      ...['charges', 'returns', 'withdrawals', 'leases', 'buyers', 'limit_scopes'],
      ...['sale_events', 'webhook_endpoints', 'webhook_deliveries', 'ledger_identity'],
    ];
    for (const table of later) database.exec(`drop table ${table}`);
    database.exec('drop index order_events_waiting');
    for (const column of ['handed_out_at_ms', 'reference', 'amount'])
      database.exec(`alter table order_events drop column ${column}`);
    for (const column of ['is_told_sold_out', 'is_told_unbalanced', 'limit_group', 'segments'])
      database.exec(`alter table sales drop column ${column}`);
    database.exec(`create table buyers (sale_id text not null references
      sales (id), buyer_id text not null, limit_units integer not null, units integer not null,
      constraint buyer_key primary key (sale_id, buyer_id)) strict, without rowid`);
    database.exec(`delete from ledger_migrations where name >= '0005'`);
    database.exec(`insert into sales (id, title, total_units, free_units, allotted_units, limit_units, starts_at_ms,
      ends_at_ms, hold_ms, state, version) values ('old', 'Old', 5, 5, 0, 1, 0, 1, 0, 'draft', 1)`);
    database.exec(`insert into buyers values ('old', 'ann', 1, 1)`);

    const { ledger } = await ledgerOn(database);
    expect(await ledger.sales.find('old')).toMatchObject({
      offer: plainOffer('old'),
      ...{ timeZone: 'UTC', totalUnits: 5, segments: 1 },
    });
    expect(database.prepare('select * from buyers').all().map(Object.values)).toEqual([['old', 'ann', 1, 1]]);
    expect(() => database.exec(`update buyers set units = 2`)).toThrow('scoped_buyer_within_limit');
    expect((await ledger.sales.create(newDraft({ id: 'old' }), [])).kind).toBe('exists');
    database.close();
  });

  test('take a step that is missing between those that were taken', async () => {
    const database = await openDatabase(file);
    await ledgerOn(database);
    for (const column of ['reference', 'amount']) database.exec(`alter table order_events drop column ${column}`);
    database.exec(`delete from ledger_migrations where name = '0011-event-payments'`);
    const { ledger } = await ledgerOn(database);
    await ledger.settlement.settle([newClaim(await openSale(ledger), 1)]);
    expect(database.prepare('select reference, amount from order_events').all().map(Object.values)).toEqual([
      [null, null],
    ]);
    database.close();
  });

  test('leave a ledger of a newer version alone', async () => {
    await (await createSqliteLedger({ file })).close();
    const database = await openDatabase(file);
    database.exec(`insert into ledger_migrations values ('9999-from-the-future', '2099-01-01T00:00:00.000Z')`);
    database.close();

    expect(await faultOf(() => createSqliteLedger({ file }))).toBe('ledger_newer');
    await expect(createSqliteLedger({ file })).rejects.toThrow('9999-from-the-future');
  });

  test('that were broken off half way have not begun', async () => {
    const database = await openDatabase(file);
    // The last table of the first migration cannot be made: its name is taken.
    database.exec('create table journal (note text)');
    await expect(ledgerOn(database)).rejects.toThrow('journal');
    const tables = database.prepare(`select name from sqlite_master where type = 'table' order by name`).all();
    expect(tables.map((row) => row.name)).toEqual(['journal', 'ledger_migration_lock', 'ledger_migrations']);
    database.exec('drop table journal');
    const { ledger, close } = await ledgerOn(database);
    await openSale(ledger);
    await close();
  });
});
