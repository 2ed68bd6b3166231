import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { brokenLaws, faultOf, newClaim, openSale } from '../../../../ports/ledger-fixture.contract.ts';
import { faultOfSqlite } from './faults.ts';
import { ledgerOn, openDatabase, openSqliteLedger } from './open-ledger.ts';

describe('faults of SQLite', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'sluice-faults-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  test('a full disk settles nothing, says so, and goes on when there is room', async () => {
    const database = await openDatabase(join(directory, 'ledger.db'));
    const { ledger, close } = await ledgerOn(database);
    const saleId = await openSale(ledger, { totalUnits: 5000 });
    const group = Array.from({ length: 500 }, (_, index) => newClaim(saleId, index + 1));

    const pages = Number(Object.values(database.prepare('pragma page_count').get() ?? {})[0]);
    database.exec(`pragma max_page_count = ${pages + 4}`);
    expect(await faultOf(() => ledger.settlement.settle(group))).toBe('storage_full');
    expect(await ledger.orders.find(`${saleId}/order-1`)).toBeNull();
    expect(await brokenLaws(ledger, saleId)).toEqual([]);

    database.exec('pragma max_page_count = 1000000');
    const outcomes = await ledger.settlement.settle(group);
    expect(outcomes.every((outcome) => outcome.kind === 'settled')).toBe(true);
    await close();
  });

  test('an error that has ended the transaction by itself is told as it was', async () => {
    const database = await openDatabase(join(directory, 'ledger.db'));
    const { ledger, close } = await ledgerOn(database);
    const saleId = await openSale(ledger);
    database.exec(`create trigger full_disk before insert on orders begin select raise(rollback, 'gone'); end`);
    expect(await faultOf(() => ledger.settlement.settle([newClaim(saleId, 1)]))).toBe('ledger_constraint');
    database.exec('drop trigger full_disk');
    expect(await ledger.settlement.settle([newClaim(saleId, 1)])).toMatchObject([{ kind: 'settled' }]);
    await close();
  });

  test('a file in a folder that is not there is unusable', async () => {
    expect(await faultOf(() => openSqliteLedger(join(directory, 'nowhere', 'ledger.db')))).toBe('storage_unusable');
  });

  test('a folder in its place is unusable', async () => {
    mkdirSync(join(directory, 'ledger.db'));
    expect(await faultOf(() => openSqliteLedger(join(directory, 'ledger.db')))).toBe('storage_unusable');
  });

  test('a file that is no database is unusable, and stays as it is', async () => {
    const file = join(directory, 'ledger.db');
    writeFileSync(file, 'a letter to grandmother, '.repeat(1000));
    expect(await faultOf(() => openSqliteLedger(file))).toBe('storage_unusable');
  });

  test('a file that another connection has open is unavailable', async () => {
    const file = join(directory, 'ledger.db');
    const { close } = await openSqliteLedger(file);
    expect(await faultOf(() => openSqliteLedger(file))).toBe('ledger_unavailable');
    await close();
  });

  test('a sync that failed may have been carried out', () => {
    const error = Object.assign(new Error('disk I/O error'), { errcode: 1034 });
    expect(faultOfSqlite(error)?.code).toBe('outcome_unknown');
  });

  test('a mistake of ours is no fault', async () => {
    const database = await openDatabase(':memory:');
    try {
      database.exec('selct 1');
    } catch (error) {
      expect(faultOfSqlite(error)).toBeNull();
    }
    expect(faultOfSqlite(new TypeError('no'))).toBeNull();
    expect(faultOfSqlite('no')).toBeNull();
    database.close();
  });
});
