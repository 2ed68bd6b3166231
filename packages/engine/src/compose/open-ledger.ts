/**
 * The ledger that the settings name: SQLite in the data directory, or a database. Where the gate is in a process's memory, one
 * process at a time sells from a database; a lease there sees to it.
 */
import { hostname } from 'node:os';
import { openMysqlLedger } from '../adapters/sql/dialects/mysql/open-ledger.ts';
import { openPostgresLedger } from '../adapters/sql/dialects/postgres/open-ledger.ts';
import { createSqliteLedger } from '../adapters/sql/embedded/create-sqlite-ledger.ts';
import { holdLease } from '../adapters/sql/lease.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { createIdSource } from '../adapters/system/ids.ts';
import type { Settings } from '../config/settings.ts';
import { Fault } from '../domain/fault.ts';
import { ledgerWithRetry } from '../funnel/ledger/ledger-with-retry.ts';
import type { Ledger } from '../ports/ledger.ts';
import { databaseDoesNotOpen, ledgerDoesNotOpen } from './cannot-start.ts';
import { databaseAccess } from './database-access.ts';
import { databaseAddress } from './ledger-address.ts';

/** Groups are settled one after the other; the rest is for readers, payments and the sweeper. */
const MAX_CONNECTIONS = 10;

const GATE_LEASE = 'embedded-gate';

interface OpenRequest {
  readonly settings: Pick<Settings, 'databaseUrl' | 'redisUrl'>;
  /** Of SQLite's ledger. */
  readonly file: string;
  readonly onLost: (fault: Fault) => void;
}

export interface OpenedLedger {
  readonly ledger: Ledger;
  close(): Promise<void>;
}

function openAt(url: string) {
  const options = { ...databaseAccess(url), maxConnections: MAX_CONNECTIONS };
  return url.startsWith('postgres') ? openPostgresLedger(options) : openMysqlLedger(options);
}

export function openLedger({ settings: { databaseUrl, redisUrl }, file, onLost }: OpenRequest): Promise<OpenedLedger> {
  if (databaseUrl === undefined) return openFile(file);
  return openDatabase(databaseUrl, redisUrl === undefined ? onLost : null);
}

async function openFile(file: string): Promise<OpenedLedger> {
  try {
    const ledger = await createSqliteLedger({ file });
    return { ledger, close: () => ledger.close() };
  } catch (error) {
    throw ledgerDoesNotOpen(file, error);
  }
}

/** `onLost`: for a gate in this process's memory; null for one that all processes share. */
async function openDatabase(url: string, onLost: ((fault: Fault) => void) | null): Promise<OpenedLedger> {
  try {
    const opened = await openAt(url);
    try {
      const holder = `process ${process.pid} on ${hostname()} (${createIdSource().newId().slice(0, 6)})`;
      const { db, dialect } = opened;
      const lease = onLost && (await holdLease({ db, dialect, clock: systemClock, name: GATE_LEASE, holder, onLost }));
      return {
        ledger: ledgerWithRetry(opened.ledger, { clock: systemClock, random: Math.random }),
        async close() {
          // A database that is away gives it to the next one by itself, a little later.
          await lease?.release().catch((error: unknown) => {
            if (!dialect.faultOf(error) && !(error instanceof Fault)) throw error;
          });
          await opened.close();
        },
      };
    } catch (error) {
      await opened.close();
      throw opened.dialect.faultOf(error) ?? error;
    }
  } catch (error) {
    throw databaseDoesNotOpen(databaseAddress(url), error);
  }
}
