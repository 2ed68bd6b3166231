/** `sluice serve` and `sluice worker`: the processes of a deployment that is more than one. */
import type { Command } from 'commander';
import type { Role } from '../../compose/start-shared.ts';
import { settingsOrFail } from '../deployment.ts';
import { printJson } from '../print.ts';
import { runUntilStopped } from '../run-until-stopped.ts';
import { type SettingOptions, withSettingOptions } from '../setting-options.ts';

type SharedOptions = SettingOptions & { readonly json?: true };

const DESCRIPTIONS: Readonly<Record<Role, string>> = {
  serve: 'answer buyers and operators, beside others; gate in Redis, ledger in a database',
  worker: 'settle what was claimed, end what is due, keep the stock; beside others',
};

const HELP = `
Any number of each may run, on any machine; each keeps nothing of its own and may be killed. All must be told the same:
  SLUICE_REDIS_URL, SLUICE_DATABASE_URL, SLUICE_JWT_KEY, SLUICE_ADMIN_KEY, SLUICE_SERVER_KEY, SLUICE_TOKEN_KEYS
Without a worker nothing is settled: what is claimed stays \`queued\`, soon tries are answered \`busy\`, and a Redis that was
emptied stays \`not_ready\`. A worker listens, too: /livez, /readyz and /metrics.

Examples:
  $ sluice serve --port 7650
  $ sluice serve --port 7651 --admin-port 7661
  $ sluice worker --port 7652
`;

export function addServeAndWorker(program: Command): void {
  for (const role of ['serve', 'worker'] as const) {
    withSettingOptions(program.command(role).description(DESCRIPTIONS[role]))
      .option('--json', 'print one JSON document when it is open')
      .addHelpText('after', HELP)
      .action((options: SharedOptions) => run(role, options));
  }
}

async function run(role: Role, { config, json, ...flags }: SharedOptions): Promise<void> {
  const settings = settingsOrFail(flags, config);
  await runUntilStopped(settings, {
    async start(log, onCrash) {
      const { startShared } = await import('../../compose/start-shared.ts');
      const { url, adminUrl, stop } = await startShared({ role, settings, log, onCrash });
      // What is queued is in Redis, and another worker's.
      return { url, adminUrl, stop: () => stop().then(() => ({ droppedClaims: 0 })) };
    },
    tell({ url, adminUrl }) {
      if (json) printJson({ role, url, adminUrl, pid: process.pid });
      else console.log(`sluice ${role}: ${url}${adminUrl === url ? '' : `  operators: ${adminUrl}`}`);
    },
  });
}
