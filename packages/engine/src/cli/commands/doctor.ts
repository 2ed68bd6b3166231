/** `sluice doctor`: looks at everything that a deployment stands on, and says what to do about what is wrong. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import pc from 'picocolors';
import { isProcessAlive, readEndpoint } from '../../compose/deployment-files.ts';
import type { StoreSight } from '../../compose/stopped-store.ts';
import { describeMistakes } from '../../config/mistake.ts';
import { loadConfigHere } from '../../config/read-sources.ts';
import type { Settings } from '../../config/settings.ts';
import { EXIT, wrongUsage } from '../command-failed.ts';
import { type DeploymentOptions, findDeployment, withDeploymentOptions } from '../deployment.ts';
import { FINDING_LEVELS, type Finding, type FindingLevel, fail, ok } from '../doctor/finding.ts';
import { printJson } from '../print.ts';

const HELP = `
Looks at this Node, the configuration, the data directory, its lock, keys and disk, the ledger (whole? up to date? do its books
balance? is the clock behind it?), Redis where one is set, the ports, and the deployment when one runs. It changes nothing. A data directory's
ledger is not opened while it is in use; a database is looked at always. With --url only that deployment is looked at.

Exit status: ${EXIT.ok} nothing fails, ${EXIT.failed} something does, ${EXIT.usage} there is no such --data-dir (and no database). A warning fails nothing.

Examples:
  $ sluice doctor
  $ sluice doctor --data-dir /var/lib/sluice --json
  $ sluice doctor --url https://shop.example
`;

type DoctorOptions = DeploymentOptions & { readonly json?: true };

export function addDoctor(program: Command): void {
  const command = program
    .command('doctor')
    .description('look at everything a deployment stands on, and say what to do')
    .option('--json', 'print one JSON document')
    .addHelpText('after', HELP);
  withDeploymentOptions(command).action(doctor);
}

async function doctor(options: DoctorOptions): Promise<void> {
  const { dataDir, config } = options;
  const loaded = loadConfigHere(dataDir === undefined ? {} : { dataDir }, config);
  // With a ledger elsewhere there is something to look at before the first start makes the directory.
  const isAllThere = dataDir !== undefined && loaded.kind === 'loaded' && loaded.settings.databaseUrl === undefined;
  if (isAllThere) refuseMissing(resolve(dataDir));
  const findings =
    loaded.kind === 'mistaken'
      ? [fail('configuration', describeMistakes(loaded.mistakes))]
      : [ok('configuration', 'Every setting is one.'), ...(await lookAround(loaded.settings, options))];
  const level = worstOf(findings);
  if (options.json) printJson({ level, findings });
  else print(findings);
  process.exitCode = level === 'fail' ? EXIT.failed : EXIT.ok;
}

/** A slip in the name would be told as a deployment that was never started, with which nothing is wrong. */
function refuseMissing(dataDir: string): void {
  if (statSync(dataDir, { throwIfNoEntry: false })) return;
  throw wrongUsage(
    `There is no ${dataDir}: name the data directory of a deployment with --data-dir. Before its first start there is none yet; leave the option out then.`,
  );
}

async function lookAround(settings: Settings, options: DoctorOptions): Promise<readonly Finding[]> {
  // Not above: every command would wait for SQL.
  const { lookAtStore } = await import('../../compose/stopped-store.ts');
  const { CHECKS_HERE, CHECKS_ELSEWHERE } = await import('../doctor/checks/index.ts');
  const dataDir = resolve(settings.dataDir);
  const isElsewhere = options.url !== undefined || options.adminUrl !== undefined;
  const endpoint = isElsewhere ? null : readEndpoint(dataDir);
  const store: StoreSight = isElsewhere ? { kind: 'none' } : await lookAtStore({ ...settings, dataDir });
  const isRunning = store.kind === 'held' && endpoint !== null && isProcessAlive(endpoint.pid);
  const scene = { settings, dataDir, endpoint, store, deployment: findDeployment(options), isRunning, isElsewhere };
  try {
    const findings: Finding[] = [];
    for (const check of isElsewhere ? CHECKS_ELSEWHERE : CHECKS_HERE) findings.push(...(await check(scene)));
    return findings;
  } finally {
    if (store.kind === 'open') await store.store.close();
  }
}

function worstOf(findings: readonly Finding[]): FindingLevel {
  const rank = Math.max(0, ...findings.map(({ level }) => FINDING_LEVELS.indexOf(level)));
  return FINDING_LEVELS[rank] ?? 'ok';
}

const MARKS: Readonly<Record<FindingLevel, string>> = {
  ok: pc.green('ok  '),
  warn: pc.yellow('warn'),
  fail: pc.red('FAIL'),
};

function print(findings: readonly Finding[]): void {
  const width = Math.max(...findings.map(({ check }) => check.length));
  for (const { check, level, says } of findings)
    console.log(`${MARKS[level]}  ${check.padEnd(width)}  ${says.replaceAll('\n', `\n${' '.repeat(width + 8)}`)}`);
}
