/** A process that runs until it is told to stop: what it says, and how it ends. */
import { createLog, type Logger } from '../compose/log.ts';
import type { Settings } from '../config/settings.ts';
import { EXIT } from './command-failed.ts';

export interface Stoppable {
  readonly url: string;
  /** Claims that were answered as bought and are lost. */
  stop(): Promise<{ readonly droppedClaims: number }>;
}

export interface Started<Process extends Stoppable> {
  start(log: Logger, onCrash: (error: unknown) => never): Promise<Process>;
  /** On stdout, once it is open. */
  tell(process: Process): void;
}

export async function runUntilStopped<Process extends Stoppable>(
  { logLevel }: Pick<Settings, 'logLevel'>,
  { start, tell }: Started<Process>,
): Promise<void> {
  const log = createLog(logLevel, process.stderr.isTTY);
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
  const opened = await start(log, onCrash);
  tell(opened);
  log.info({ url: opened.url }, 'open');
  const signal = await stopAsked;
  log.info({ signal }, 'stopping: answering and settling what is in hand; once more ends it at once');
  const { droppedClaims } = await opened.stop();
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
