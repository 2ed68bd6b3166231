/** MariaDB must answer every sequence as the memory ledger does, and hold the same stock after. */
import { expect, test } from 'vitest';
import { onRandomSequences, runSequence } from '../../../../ports/ledger-sequence.contract.ts';
import { createMemoryLedger } from '../../../memory/ledger.ts';
import { systemClock } from '../../../system/clock.ts';
import { patientLedger } from '../../patient-ledger.contract.ts';
import { describeWithServer, startTestServer } from '../../test-server.contract.ts';
import { openMysqlLedger } from './open-ledger.ts';
import { createTestDatabase } from './test-database.contract.ts';

describeWithServer('MariaDB', await startTestServer('mariadb'), (server) => {
  test('agrees with the memory ledger on any sequence (seed printed)', { timeout: 180_000 }, async () => {
    const memory = createMemoryLedger({ clock: systemClock });
    const database = await createTestDatabase(server.url);
    const { ledger, close } = await openMysqlLedger({ url: database.url, maxConnections: 2 });
    const patient = patientLedger(ledger);
    await onRandomSequences(async (sequence) => {
      expect(await runSequence(patient, sequence)).toEqual(await runSequence(memory, sequence));
    });
    await close();
    await database.drop();
  });
});
