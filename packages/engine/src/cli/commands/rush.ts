/** `sluice rush`: a crowd at a running deployment, and a look at the books when it has left. */
import { randomInt } from 'node:crypto';
import { type Command, Option } from 'commander';
import { PROFILES, type Profile } from '../../bench/arrivals.ts';
import { routes } from '../../bench/routes.ts';
import { CannotRush, type FreshSale, type RushOptions } from '../../bench/rush-options.ts';
import { CommandFailed, EXIT, wrongUsage } from '../command-failed.ts';
import {
  callAdmin,
  type Deployment,
  type DeploymentOptions,
  findDeployment,
  withDeploymentOptions,
  withJwtKeyOption,
  withServerKeyOption,
} from '../deployment.ts';
import { duration, durationOption, seconds, share, wholeNumber } from '../option-values.ts';
import { printJson } from '../print.ts';
import { createProgressLine } from '../progress-line.ts';

interface RushCommandOptions extends DeploymentOptions {
  readonly buyers: number;
  readonly sale?: string;
  readonly stock: number;
  readonly limit: number;
  readonly units: number;
  readonly over: number;
  readonly profile: Profile;
  readonly bots?: number;
  readonly connections: number;
  readonly doubleClicks: number;
  readonly retries: number;
  readonly secondTokens: number;
  readonly pay?: true;
  readonly neverPay: number;
  readonly payLate: number;
  readonly cancel: number;
  readonly hold?: number;
  readonly patience: number;
  readonly seed?: number;
  readonly json?: true;
}

const LARGEST_SEED = 2 ** 32;

const EXAMPLES = `
Each buyer signs in with a JWT of their own, comes from an address of their own (X-Forwarded-For, which \`sluice start\`
believes from this machine), draws a token and buys. At the end the books are checked from outside; a violation is exit
status 1.

Buyers come when they meant to, however slow the answers are, and latencies count from then. Whoever is told to come
again (429 or 503 with Retry-After) does so for as long as --patience. The sender tells how late it was itself.

Examples:
  $ sluice rush --buyers 5000 --stock 500 --over 5
  $ sluice rush --buyers 5000 --profile bots --bots 0.2
  $ sluice rush --buyers 5000 --sale starter-skin
  $ sluice rush --stock 100 --limit 3 --units 2 --json
  $ sluice rush --never-pay 0.2 --pay-late 0.1 --cancel 0.1 --hold 5s
`;

const DEFAULT_BOTS = 0.1;

const profileHelp = Object.entries(PROFILES)
  .map(([name, text]) => `${name} (${text})`)
  .join('; ');

export function addRush(program: Command): void {
  const command = program
    .command('rush')
    .description('send a crowd to a running deployment and check the books afterwards')
    .option('--buyers <number>', 'how many come', wholeNumber(1), 5_000)
    .addOption(
      new Option('--sale <id>', 'a sale that exists (default: a new one)').conflicts(['stock', 'limit', 'hold']),
    )
    .option('--stock <units>', 'units of the new sale', wholeNumber(0), 500)
    .option('--limit <units>', 'units that one buyer may have in the new sale', wholeNumber(1), 1)
    .option('--units <number>', 'units that each purchase asks for', wholeNumber(1), 1)
    .addOption(
      new Option('--over <seconds>', 'how long they come; each at a moment that is fixed before')
        .argParser(seconds)
        .default(10_000, '10'),
    )
    .addOption(
      new Option('--profile <name>', `how they come: ${profileHelp}`).choices(Object.keys(PROFILES)).default('herd'),
    )
    .option('--bots <share>', 'accounts that hammer, of profile bots (default: 0.1)', share)
    .option('--connections <number>', 'sockets at the same time; waiting for one counts', wholeNumber(1), 200)
    .option('--double-clicks <share>', 'buyers who click twice', share, 0.25)
    .option('--retries <share>', 'winners who come again with the same token', share, 0.1)
    .option('--second-tokens <share>', 'buyers who come with a second token', share, 0.1)
    .option('--pay', 'winners pay, some of them told twice; so do the next three')
    .option('--never-pay <share>', 'winners who never pay; their units are sold again', share, 0)
    .option('--pay-late <share>', 'winners who pay when their order has ended', share, 0)
    .option('--cancel <share>', 'winners who cancel', share, 0)
    .option('--hold <duration>', 'how long an unpaid order of the new sale holds its units', duration)
    .addOption(durationOption('--patience', 'how long a buyer asks on, when nobody answers', '30s'))
    .option('--seed <number>', 'decides who does what (default: a new one)', wholeNumber(0))
    .option('--json', 'print one JSON document')
    .addHelpText('after', EXAMPLES);
  withServerKeyOption(withJwtKeyOption(withDeploymentOptions(command))).action(rush);
}

async function rush(options: RushCommandOptions): Promise<void> {
  const deployment = findDeployment(options);
  // The crowd is patient; whoever sends it should not have to be.
  await callAdmin(deployment, { method: 'GET', path: routes.adminSales() });
  // Not above: other commands send no crowd.
  const { runRush } = await import('../../bench/rush.ts');
  const progress = createProgressLine();
  try {
    const report = await runRush({
      ...rushOptions(deployment, options),
      onProgress: ({ phase, done, total, accepted, repeated }) =>
        progress.show(
          `${phase}: ${done} of ${total} buyers, ${accepted} accepted${repeated > 0 ? `, ${repeated} calls repeated` : ''}`,
        ),
    });
    progress.end();
    if (options.json) printJson((await import('../../bench/rush-document.ts')).rushDocument(report));
    else (await import('../rush-report.ts')).printRush(report);
    if (report.violations.length > 0) process.exitCode = EXIT.failed;
  } catch (error) {
    progress.end();
    if (error instanceof CannotRush) throw new CommandFailed(error.message, { cause: error });
    throw error;
  }
}

function rushOptions(deployment: Deployment, options: RushCommandOptions): RushOptions {
  const { buyers, units, over: overMs, profile, connections, doubleClicks, retries, secondTokens } = options;
  if (options.bots !== undefined && profile !== 'bots') throw new CommandFailed('--bots goes with --profile bots.');
  return {
    ...{ url: deployment.url(), adminUrl: deployment.adminUrl() },
    ...{ adminKey: deployment.adminKey(), jwtKey: deployment.jwtKey(), ...deployment.jwtClaims },
    sale: options.sale === undefined ? freshSale(options) : { kind: 'existing', id: options.sale },
    ...{ buyers, units, overMs, profile, connections, doubleClicks, retries, secondTokens },
    bots: options.bots ?? DEFAULT_BOTS,
    ...paymentPlan(deployment, options),
    patienceMs: options.patience,
    seed: options.seed ?? randomInt(LARGEST_SEED),
  };
}

function freshSale({ stock, limit, hold }: RushCommandOptions): FreshSale {
  return { kind: 'fresh', stock, limit, ...(hold !== undefined && { holdMs: hold }) };
}

/** Without any of them nobody pays, and the server key is not looked for. */
function paymentPlan(deployment: Deployment, options: RushCommandOptions): Pick<RushOptions, 'payments'> {
  const { pay, neverPay, payLate, cancel } = options;
  if (!pay && neverPay + payLate + cancel === 0) return {};
  if (neverPay + payLate + cancel > 1) {
    throw wrongUsage('--never-pay, --pay-late and --cancel are shares of the same buyers: 1 at most together.');
  }
  return { payments: { serverKey: deployment.serverKey(), neverPay, payLate, cancel } };
}
