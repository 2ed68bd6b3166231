/** `sluice start`: everything in one process, until it is told to stop. */
import type { Command } from 'commander';
import type { EmbeddedDeployment } from '../../compose/start-embedded.ts';
import { EXIT } from '../command-failed.ts';
import { settingsOrFail } from '../deployment.ts';
import { printJson } from '../print.ts';
import { runUntilStopped } from '../run-until-stopped.ts';
import { type SettingOptions, withSettingOptions } from '../setting-options.ts';
import { printBanner } from '../start-banner.ts';

type StartOptions = SettingOptions & { readonly json?: true; readonly newKeys?: boolean };

const HELP = `
Settings come from, each over the one before it: defaults, sluice.config.json, the environment, the command line.
Secrets are set in the file or the environment (SLUICE_JWT_KEY, SLUICE_ADMIN_KEY, SLUICE_SERVER_KEY, SLUICE_TOKEN_KEYS),
never on the command line; what is not set is generated and kept in the data directory.

Examples:
  $ sluice start
  $ sluice start --port 0 --data-dir /var/lib/sluice
  $ SLUICE_LOG_LEVEL=warn sluice start --json
`;

export function addStart(program: Command): void {
  const command = program.command('start').description('run everything in one process, with a sample sale');
  withSettingOptions(command)
    .option('--json', 'print one JSON document when it is open')
    .option(
      '--new-keys',
      'the keys of this deployment are lost: make new ones, and let its tokens and receipts be void',
    )
    .addHelpText('after', HELP)
    .action(start);
}

async function start({ config, json, newKeys = false, ...flags }: StartOptions): Promise<void> {
  const settings = settingsOrFail(flags, config);
  await runUntilStopped(settings, {
    async start(log, onCrash) {
      // Not above: the server's libraries would make every command wait half as long again.
      const { startEmbedded } = await import('../../compose/start-embedded.ts');
      const onLost = (fault: Error): never => {
        log.fatal({ fault: fault.message }, 'the ledger is no longer this process’s to sell from; it ends');
        process.exit(EXIT.failed);
      };
      return startEmbedded({ settings, log, onCrash, onLost, newKeys });
    },
    tell: (deployment) => (json ? printJson(documentOf(deployment)) : printBanner(deployment)),
  });
}

function documentOf({
  url,
  adminUrl,
  dataDir,
  database,
  sampleSales,
  wallet,
  hasDevIdentity,
  hasOlderKeys,
  trustedProxies,
}: EmbeddedDeployment) {
  return {
    url,
    adminUrl,
    pid: process.pid,
    dataDir,
    database,
    sampleSales: sampleSales.map(({ id }) => id),
    wallet,
    hasDevIdentity,
    hasOlderKeys,
    trustedProxies,
  };
}
