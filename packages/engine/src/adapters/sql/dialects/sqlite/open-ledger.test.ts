import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ledgerContract } from '../../../../ports/ledger.contract.ts';
import { openSqliteLedger } from './open-ledger.ts';

ledgerContract({
  name: 'SQLite',
  longestLife: 3,
  async open() {
    const directory = mkdtempSync(join(tmpdir(), 'sluice-ledger-'));
    const { ledger, close } = await openSqliteLedger(join(directory, 'ledger.db'));
    return {
      ledger,
      async close() {
        await close();
        rmSync(directory, { recursive: true });
      },
    };
  },
});
