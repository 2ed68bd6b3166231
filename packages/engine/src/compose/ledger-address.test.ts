import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeLedgerAddress } from './deployment-files.ts';
import { refuseAnotherDatabase } from './ledger-address.ts';

test('a directory that remembers its database takes it under any spelling, and no other', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-address-'));
  refuseAnotherDatabase(dataDir, 'mysql://db/shop');
  writeLedgerAddress(dataDir, 'postgres://db.example/shop');
  for (const url of ['postgres://db.example/shop', 'postgresql://ann:word@DB.example:5432/shop?sslmode=require'])
    refuseAnotherDatabase(dataDir, url);
  for (const url of [
    'postgres://db.example/other',
    'postgres://db.example:5433/shop',
    'postgres://db2.example/shop',
    'mysql://ann:word@db.example:5432/shop',
  ])
    expect(() => refuseAnotherDatabase(dataDir, url), url).toThrow(
      'is in the database postgres://db.example/shop, and',
    );
  rmSync(dataDir, { recursive: true });
});
