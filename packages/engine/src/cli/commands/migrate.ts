/** `sluice migrate`: brings the ledger that the settings name to this program's schema. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Settings } from '../../config/settings.ts';
import { EXIT } from '../command-failed.ts';
import { settingsOrFail } from '../deployment.ts';
import { printJson, printTitle } from '../print.ts';

interface MigrateOptions {
  readonly check?: true;
  readonly dataDir?: string;
  readonly config?: string;
  readonly json?: true;
}

const HELP = `
A start does the same; this is for whoever wants to know first, or to do it while nobody waits. The ledger is in the database of
databaseUrl, or in the data directory, on which nothing may run meanwhile. A ledger that a newer version wrote is left alone. Steps lead forward only: keep a copy to go back to.

Exit status with --check: 0 nothing to do, 1 steps are missing.

Examples:
  $ sluice migrate --check
  $ sluice migrate --data-dir /var/lib/sluice
`;

export function addMigrate(program: Command): void {
  program
    .command('migrate')
    .description("bring the ledger to this program's schema")
    .option('--check', 'only say which steps it would take')
    .option('--data-dir <directory>', 'where the ledger is, without a databaseUrl (default: .sluice)')
    .option('--config <file>', 'configuration file (default: sluice.config.json)')
    .option('--json', 'print one JSON document')
    .addHelpText('after', HELP)
    .action(migrate);
}

async function migrate({ check, dataDir, config, json }: MigrateOptions): Promise<void> {
  const settings = settingsOrFail(dataDir === undefined ? {} : { dataDir }, config);
  const directory = resolve(settings.dataDir);
  const store = { ...settings, dataDir: directory };
  const report = await (check ? lookAt(store) : bringToDate(store));
  if (json) printJson({ dataDir: directory, ...report });
  else print(report);
  if (check && report.pending.length > 0) process.exitCode = EXIT.failed;
}

interface MigrationReport {
  /** The ledger's file, or its database. */
  readonly ledger: string;
  readonly applied: readonly string[];
  readonly pending: readonly string[];
}

/** Not above: every command would wait for SQL. */
function storeTools() {
  return import('../../compose/stopped-store.ts');
}

type StoreSettings = Pick<Settings, 'databaseUrl' | 'dataDir'>;

async function bringToDate(settings: StoreSettings): Promise<MigrationReport> {
  const { holdStore, withStore } = await storeTools();
  return withStore(holdStore(settings), async ({ where, ledger }) => ({
    ...{ ledger: where, applied: await ledger.migrate(), pending: [] },
  }));
}

async function lookAt(settings: StoreSettings): Promise<MigrationReport> {
  const { openStore, stepsOfNewLedger, withStore } = await storeTools();
  return withStore(openStore(settings), async (store) => ({
    ...{ ledger: store?.where ?? settings.dataDir, applied: [] },
    pending: store ? await store.ledger.pendingMigrations() : await stepsOfNewLedger(),
  }));
}

function print({ ledger, applied, pending }: MigrationReport): void {
  if (pending.length > 0) printTitle(`The ledger ${ledger} is ${steps(pending)} behind:`);
  else if (applied.length > 0) printTitle(`The ledger ${ledger} took ${steps(applied)}:`);
  else printTitle(`The ledger ${ledger} is up to date.`);
  for (const name of [...pending, ...applied]) console.log(`  ${name}`);
}

function steps(names: readonly string[]): string {
  return names.length === 1 ? 'one step' : `${names.length} steps`;
}
