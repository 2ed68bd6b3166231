import { sql } from 'kysely';
import { explainedLedgerContract } from '../../explained-ledger.contract.ts';
import { patientLedger } from '../../patient-ledger.contract.ts';
import { describeWithServer, startTestServer } from '../../test-server.contract.ts';
import { createPostgresDialect } from './dialect.ts';
import { createPostgresPool } from './pool.ts';
import { createTestDatabase } from './test-database.contract.ts';

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

function seqScansOf(node: PlanNode): readonly string[] {
  const own = node['Node Type'] === 'Seq Scan' ? [node['Relation Name'] ?? 'something'] : [];
  return [...own, ...(node.Plans ?? []).flatMap(seqScansOf)];
}

describeWithServer('PostgreSQL', await startTestServer('postgres'), (server) => {
  explainedLedgerContract({
    ...{ name: 'PostgreSQL', longestLife: 3 },
    explain: 'explain (format json)',
    scannedBy: (rows) =>
      (rows as readonly { readonly 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }[]).flatMap((row) =>
        row['QUERY PLAN'].flatMap(({ Plan }) => seqScansOf(Plan)),
      ),
    patient: patientLedger,
    async open() {
      const database = await createTestDatabase(server.url);
      return {
        dialect: createPostgresDialect(createPostgresPool({ url: database.url, maxConnections: 8 })),
        analyse: async (db) => void (await sql`analyze`.execute(db)),
        drop: () => database.drop(),
      };
    },
  });
});
