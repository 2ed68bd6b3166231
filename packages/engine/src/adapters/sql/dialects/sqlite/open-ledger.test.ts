import { explainedLedgerContract } from '../../explained-ledger.contract.ts';
import { createSqliteDialect } from './dialect.ts';
import { openDatabase } from './open-ledger.ts';

explainedLedgerContract({
  ...{ name: 'SQLite', longestLife: 3 },
  explain: 'explain query plan',
  scannedBy: (rows) =>
    (rows as readonly { readonly detail: string }[]).flatMap(
      // An index of what waits has no other rows.
      ({ detail }) => /^SCAN (?!CONSTANT)(\w+)\b(?! USING (?:COVERING )?INDEX \w+_waiting)/.exec(detail)?.[1] ?? [],
    ),
  patient: (ledger) => ledger,
  async open() {
    const database = await openDatabase(':memory:');
    // Nobody gathers statistics there, so its plans do not depend on what is in the tables.
    return { dialect: createSqliteDialect(database), analyse: async () => {}, drop: async () => {} };
  },
});
