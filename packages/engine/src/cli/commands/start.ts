/** `sluice start`: everything in one process, until it is told to stop. */
import type { Command } from 'commander';
import { createLog, type Logger } from '../../compose/log.ts';
import type { EmbeddedDeployment } from '../../compose/start-embedded.ts';
import { EXIT } from '../command-failed.ts';
import { settingsOrFail } from '../deployment.ts';
import { printJson } from '../print.ts';
import { type SettingOptions, withSettingOptions } from '../setting-options.ts';
import { printBanner } from '../start-banner.ts';

type StartOptions = SettingOptions & { readonly json?: true };

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
    .addHelpText('after', HELP)
    .action(start);
}

async function start({ config, json, ...flags }: StartOptions): Promise<void> {
  const settings = settingsOrFail(flags, config);
  const log = createLog(settings.logLevel, process.stderr.isTTY);
  const onCrash = (error: unknown): never => {
    log.fatal(
      { err: error },
      'a promise of our own was broken; the process ends, and mends what it can when it starts again',
    );
    process.exit(EXIT.crashed);
  };
  process.on('uncaughtException', onCrash);
  process.on('unhandledRejection', onCrash);

  const stopAsked = whenAskedToStop(log);
  // Not above: the server's libraries would make every command wait half as long again.
  const { startEmbedded } = await import('../../compose/start-embedded.ts');
  const onLost = (fault: Error): never => {
    log.fatal({ fault: fault.message }, 'the ledger is no longer this process’s to sell from; it ends');
    process.exit(EXIT.failed);
  };
  const deployment = await startEmbedded({ settings, log, onCrash, onLost });
  if (json) printJson(documentOf(deployment));
  else printBanner(deployment);
  log.info({ url: deployment.url, dataDir: deployment.dataDir }, 'open');
  const signal = await stopAsked;
  log.info({ signal }, 'stopping: answering and settling what is in hand; once more ends it at once');
  const { droppedClaims } = await deployment.stop();
  log.info('stopped');
  // Whatever still holds the process, such as an idle keep-alive timer, holds nothing that matters.
  process.exit(droppedClaims > 0 ? EXIT.failed : EXIT.ok);
}

/** Resolves at the first signal; the second ends the process as it is, which a start can mend. */
function whenAskedToStop(log: Logger): Promise<string> {
  return new Promise((resolve) => {
    let isAsked = false;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (isAsked) {
          log.warn({ signal }, 'ended before everything in hand was done');
          process.exit(EXIT.failed);
        }
        isAsked = true;
        resolve(signal);
      });
    }
  });
}

function documentOf({
  url,
  adminUrl,
  dataDir,
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
    sampleSales: sampleSales.map(({ id }) => id),
    wallet,
    hasDevIdentity,
    hasOlderKeys,
    trustedProxies,
  };
}
