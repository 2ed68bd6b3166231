/**
 * `sluice reconcile`: where every unit is, and whether the books balance. A running deployment is asked; where none runs, the
 * ledger itself is held to its orders and its journal. With --rebuild-check every balance is rebuilt from the journal alone.
 */
import { resolve } from 'node:path';
import { PLACES } from '@sluice/contract/codes';
import type { Command } from 'commander';
import pc from 'picocolors';
import { sentenceOf } from '../../compose/cannot-start.ts';
import { isProcessAlive, readEndpoint } from '../../compose/deployment-files.ts';
import { CommandFailed, EXIT, wrongUsage } from '../command-failed.ts';
import { type DeploymentOptions, settingsOrFail, withDeploymentOptions } from '../deployment.ts';
import { printJson, printTable, printTitle, type Row } from '../print.ts';
import { reconcileDeployment } from '../reconcile/deployment.ts';
import { type Reconciled, type ReconciledSale, VERDICTS, type Verdict, verdictOnAll } from '../reconcile/report.ts';

const HELP = `
A running deployment is asked, with the admin key. Where nothing runs on the data directory, the ledger is opened instead, in the
database of databaseUrl or in the directory: what is available cannot be read there, as it is the gate's, and the ledger's counters
are held to its orders and its journal.

--rebuild-check reads the ledger itself: the database of databaseUrl, also while it is in use, or the data directory on which
nothing runs. Every unit's move since each sale was made is added up from the journal, and must be what sales, quotas, buyers and
orders say.

Exit status: ${EXIT.ok} every sale balances, ${EXIT.failed} one does not, ${EXIT.notRead} one could not be read (not loaded at its gate yet, or moving all
the time) or nothing could; what does not balance outweighs what was not read.

Examples:
  $ sluice reconcile
  $ sluice reconcile spring-skins --json
  $ sluice reconcile --rebuild-check
  $ sluice reconcile --url https://shop.example --admin-url http://10.0.0.5:8461 --admin-key-file admin.key
`;

type ReconcileOptions = DeploymentOptions & { readonly json?: true; readonly rebuildCheck?: true };

export function addReconcile(program: Command): void {
  const command = program
    .command('reconcile')
    .description('show where the units of sales are, and whether the books balance')
    .argument('[sale]', 'one sale (default: all)')
    .option('--rebuild-check', 'rebuild every balance from the journal, and compare')
    .option('--json', 'print one JSON document')
    .addHelpText('after', HELP);
  withDeploymentOptions(command).action(reconcile);
}

async function reconcile(sale: string | undefined, options: ReconcileOptions): Promise<void> {
  const result = await readBooks(sale ?? null, options);
  const verdict = verdictOnAll(result.sales);
  if (options.json) printJson({ verdict, ...result });
  else print(result, verdict);
  process.exitCode = STATUS_OF_VERDICT[verdict];
}

const STATUS_OF_VERDICT: Readonly<Record<Verdict, number>> = {
  balanced: EXIT.ok,
  unbalanced: EXIT.failed,
  not_read: EXIT.notRead,
};

/** What can be read nowhere is neither balanced nor unbalanced. */
async function readBooks(sale: string | null, options: ReconcileOptions): Promise<Reconciled> {
  try {
    const { dataDir, config, url, adminUrl } = options;
    const settings = settingsOrFail(dataDir === undefined ? {} : { dataDir }, config);
    const directory = resolve(settings.dataDir);
    const isElsewhere = url !== undefined || adminUrl !== undefined;
    if (options.rebuildCheck) {
      if (isElsewhere) throw wrongUsage('--rebuild-check reads the ledger itself: it takes no --url.');
      const { reconcileJournal } = await import('../reconcile/journal.ts');
      return await reconcileJournal(sale, { ...settings, dataDir: directory });
    }
    if (isElsewhere || isRunning(directory)) return await reconcileDeployment(sale, options);
    // Not above: every command would wait for SQL.
    const { reconcileLedger } = await import('../reconcile/ledger.ts');
    return await reconcileLedger(sale, { ...settings, dataDir: directory });
  } catch (error) {
    const sentence = error instanceof CommandFailed ? error.message : sentenceOf(error);
    if (sentence === null || (error instanceof CommandFailed && error.status === EXIT.usage)) throw error;
    throw new CommandFailed(sentence, { cause: error, status: EXIT.notRead });
  }
}

/** A process that was killed leaves its endpoint behind. */
function isRunning(dataDir: string): boolean {
  const endpoint = readEndpoint(dataDir);
  return endpoint !== null && isProcessAlive(endpoint.pid);
}

const FROM: Readonly<Record<Reconciled['source'], string>> = {
  deployment: 'from the running deployment',
  ledger: 'from the ledger',
  journal: 'rebuilt from the journal',
};

function print({ source, sales }: Reconciled, verdict: Verdict): void {
  const from = FROM[source];
  if (sales.length === 0) console.log('There is no sale.');
  for (const sale of sales) printSale(sale);
  const word = { balanced: pc.green, unbalanced: pc.red, not_read: pc.yellow }[verdict](VERDICTS[verdict]);
  console.log(`${word} (${from})`);
}

function printSale({ saleId, verdict, places, total, note, differences }: ReconciledSale): void {
  printTitle(`${saleId}: ${VERDICTS[verdict]}`);
  if (places !== null && total !== null) {
    const rows = PLACES.map((place): Row => [place, places[place] ?? 'not read']);
    printTable([...rows, ['total', total]]);
  }
  if (note !== null) console.log(`  ${note}`);
  for (const { counter, against, recorded, counted } of differences)
    console.log(`  ${pc.red(`${counter}: ${recorded} written down, ${counted} by the ${against}`)}`);
  console.log();
}
