/** The memory ledger is the specification: SQLite must answer every sequence as it does, and hold the same stock after. */
import { expect, test } from 'vitest';
import { onRandomSequences, runSequence } from '../../ports/ledger-sequence.contract.ts';
import { createMemoryLedger } from '../memory/ledger.ts';
import { openSqliteLedger } from './dialects/sqlite/open-ledger.ts';

test('the SQLite ledger agrees with the memory ledger on any sequence (seed printed)', async () => {
  const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now(), after: () => () => {} };
  const memory = createMemoryLedger({ clock });
  const sqlite = await openSqliteLedger(':memory:');
  await onRandomSequences(async (sequence) => {
    expect(await runSequence(sqlite.ledger, sequence)).toEqual(await runSequence(memory, sequence));
  });
  await sqlite.close();
});
