import { describe, expect, test } from 'vitest';
import { QUOTA, schemaContract, soldOnce } from '../../schema.contract.ts';
import { faultOfSqlite } from './faults.ts';
import { ledgerOn, openDatabase } from './open-ledger.ts';

schemaContract({
  name: 'SQLite',
  async open() {
    const database = await openDatabase(':memory:');
    const { ledger, close } = await ledgerOn(database);
    // One that reads gives rows; `exec` would give none.
    const run = async (text: string) => {
      if (text.startsWith('select')) return database.prepare(text).all();
      database.exec(text);
      return [];
    };
    return { ledger, run, faultOf: faultOfSqlite, close };
  },
  refused: { 'sell half a unit': `update quotas set sold_units = 0.5 ${QUOTA}` },
});

describe('the SQLite schema refuses to', () => {
  test('touch the sale’s row in a settlement', async () => {
    const database = await openDatabase(':memory:');
    const { ledger, close } = await ledgerOn(database);
    const saleId = await soldOnce(ledger);
    database.exec(`create trigger sale_is_left_alone before update on sales begin select raise(abort, 'touched'); end`);
    database.exec(`update quotas set held_units = held_units + 1 ${QUOTA.replace('S', saleId)}`);
    expect(() => database.exec(`update quotas set allotted_units = 0 ${QUOTA.replace('S', saleId)}`)).toThrow();
    await close();
  });
});
