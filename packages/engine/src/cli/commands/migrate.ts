/** `sluice migrate`: brings the ledger of a data directory to this program's schema. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
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
A start does the same; this is for whoever wants to know first, or to do it while nobody waits. Nothing may run on the data
directory meanwhile. A ledger that a newer version wrote is left alone. Steps lead forward only: keep a copy to go back to.

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
    .option('--data-dir <directory>', 'where the ledger is (default: .sluice)')
    .option('--config <file>', 'configuration file (default: sluice.config.json)')
    .option('--json', 'print one JSON document')
    .addHelpText('after', HELP)
    .action(migrate);
}

async function migrate({ check, dataDir, config, json }: MigrateOptions): Promise<void> {
  const settings = settingsOrFail(dataDir === undefined ? {} : { dataDir }, config);
  const directory = resolve(settings.dataDir);
  const report = check ? await lookAt(directory) : await bringToDate(directory);
  if (json) printJson({ dataDir: directory, ...report });
  else print(directory, report);
  if (check && report.pending.length > 0) process.exitCode = EXIT.failed;
}

interface MigrationReport {
  readonly applied: readonly string[];
  readonly pending: readonly string[];
}

/** Not above: every command would wait for SQL. */
function storeTools() {
  return import('../../compose/stopped-store.ts');
}

async function bringToDate(directory: string): Promise<MigrationReport> {
  const { holdStore, withStore } = await storeTools();
  return withStore(holdStore(directory), async ({ ledger }) => ({ applied: await ledger.migrate(), pending: [] }));
}

async function lookAt(directory: string): Promise<MigrationReport> {
  const { openStoppedStore, stepsOfNewLedger, withStore } = await storeTools();
  return withStore(openStoppedStore(directory), async (store) => ({
    applied: [],
    pending: store ? await store.ledger.pendingMigrations() : await stepsOfNewLedger(),
  }));
}

function print(directory: string, { applied, pending }: MigrationReport): void {
  if (pending.length > 0) printTitle(`The ledger in ${directory} is ${steps(pending)} behind:`);
  else if (applied.length > 0) printTitle(`The ledger in ${directory} took ${steps(applied)}:`);
  else printTitle(`The ledger in ${directory} is up to date.`);
  for (const name of [...pending, ...applied]) console.log(`  ${name}`);
}

function steps(names: readonly string[]): string {
  return names.length === 1 ? 'one step' : `${names.length} steps`;
}
