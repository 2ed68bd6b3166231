/** Where the process begins: runs the command and ends with the status that says how it went. */
import { readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import { sentenceOf } from '../compose/cannot-start.ts';
import { CommandFailed, EXIT } from './command-failed.ts';
import { createProgram, DEBUG_FLAG } from './program.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};

// Who has read enough, such as `head`, ends what is written to them.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(EXIT.ok);
});

const program = createProgram(version);
try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = statusOf(error);
}

/** One sentence for what went wrong in the world; where it came from for whoever asks, and for what should not happen. */
function statusOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  const isDebug = process.argv.includes(DEBUG_FLAG);
  const sentence = error instanceof CommandFailed ? error.message : sentenceOf(error);
  console.error(sentence === null || isDebug ? error : `sluice: ${sentence}`);
  return error instanceof CommandFailed ? error.status : EXIT.failed;
}
