/** `sluice simulate`: the same code in worlds where answers get lost and processes die, from a seed, on a virtual clock. */
import { type Command, Option } from 'commander';
import pc from 'picocolors';
import type { SeedsResult } from '../../simulate/index.ts';
import { SCENARIOS, type ScenarioName } from '../../simulate/scenarios.ts';
import { EXIT } from '../command-failed.ts';
import { wholeNumber } from '../option-values.ts';
import { printJson, printTable, printTitle } from '../print.ts';
import { createProgressLine } from '../progress-line.ts';

interface SimulateOptions {
  readonly seed: number;
  readonly seeds: number;
  readonly scenario: ScenarioName;
  readonly json?: true;
}

const EXAMPLES = `
Each seed is a world of its own: a sale, buyers, and faults drawn for it. Auditors with books of their own look at it after
every step; the first broken promise ends the run with exit status 1, and its seed shows it again.

Examples:
  $ sluice simulate --seeds 1000
  $ sluice simulate --seed 4711 --seeds 1 --scenario gate-loss
`;

export function addSimulate(program: Command): void {
  program
    .command('simulate')
    .description('run the engine in simulated worlds and check every promise')
    .option('--seed <number>', 'the first seed', wholeNumber(0), 1)
    .option('--seeds <number>', 'how many worlds', wholeNumber(1), 100)
    .addOption(new Option('--scenario <name>', 'which faults').choices(Object.keys(SCENARIOS)).default('swarm'))
    .option('--json', 'print one JSON document')
    .addHelpText('after', EXAMPLES)
    .action(simulate);
}

async function simulate({ seed, seeds, scenario, json }: SimulateOptions): Promise<void> {
  // Not above: every command would read the whole engine.
  const { buildEngine } = await import('../../compose/build-engine.ts');
  const { runSeeds } = await import('../../simulate/index.ts');
  const progress = createProgressLine();
  const result = await runSeeds({
    ...{ from: seed, count: seeds, scenario, buildEngine },
    barrier: () => new Promise((resolve) => setImmediate(resolve)),
    onProgress: (done, { summary }) => progress.show(`${done} of ${seeds} worlds; ${summary}`),
  });
  progress.end();
  const isGood = result.failure === null && result.neverSeen.length === 0;
  if (json) printJson({ scenario, ...result, seen: Object.fromEntries(result.seen), ...failureOf(result) });
  else printResult(scenario, result);
  if (!isGood) process.exitCode = EXIT.failed;
}

function failureOf({ failure }: SeedsResult) {
  return { failure: failure && { ...failure, seen: Object.fromEntries(failure.seen) } };
}

function printResult(scenario: ScenarioName, { seeds, steps, virtualMs, failure, neverSeen }: SeedsResult): void {
  printTitle(`${seeds} worlds, ${scenario}`);
  printTable([
    ['steps', steps],
    ['virtual time', `${Math.round(virtualMs / 1_000)} s`],
  ]);
  console.log();
  if (neverSeen.length > 0) console.log(pc.red(`never met, so not tested: ${neverSeen.join(', ')}`));
  if (!failure) {
    console.log(neverSeen.length > 0 ? '' : pc.green('Every promise was kept.'));
    return;
  }
  console.log(pc.red(`seed ${failure.seed} broke a promise (${failure.summary}); see it again with`));
  console.log(`  sluice simulate --seed ${failure.seed} --seeds 1 --scenario ${scenario}`);
  for (const { invariant, detail, atMs, trace } of failure.violations) {
    console.log(`\n${pc.red(invariant)}: ${detail}, at ${atMs} ms`);
    for (const line of trace) console.log(`  ${pc.dim(line)}`);
  }
}
