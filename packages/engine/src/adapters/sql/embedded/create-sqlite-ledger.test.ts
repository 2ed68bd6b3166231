import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ledgerContract } from '../../../ports/ledger.contract.ts';
import { createSqliteLedger } from './create-sqlite-ledger.ts';

ledgerContract({
  name: 'embedded',
  longestLife: 2,
  async open() {
    const directory = mkdtempSync(join(tmpdir(), 'sluice-ledger-'));
    const ledger = await createSqliteLedger({ file: join(directory, 'ledger.db') });
    return {
      ledger,
      async close() {
        await ledger.close();
        rmSync(directory, { recursive: true });
      },
    };
  },
});
