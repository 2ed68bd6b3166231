/** How a command ends: the statuses that scripts and supervisors read, each once, and the error that carries one. */

export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  notRead: 3,
  crashed: 70,
} as const;

type ExitStatus = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'done',
  failed: 'the world or the deployment said no, or a check found something',
  usage: 'the command line or the configuration is wrong: the same again ends the same',
  notRead: 'the books could not be read, which is not the same as a difference (reconcile)',
  crashed: 'a promise of our own was broken; start the process again, it mends what it can',
};

/** Told by the help and the reference. */
export function exitStatusLines(): readonly string[] {
  return Object.entries(EXIT).map(
    ([name, status]) => `${String(status).padStart(2)}  ${EXIT_MEANINGS[name as keyof typeof EXIT]}`,
  );
}

/** A command that did not do what it was asked to. The message is for people; there is no stack trace in it. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
  readonly status: ExitStatus;

  constructor(message: string, { cause, status = EXIT.failed }: FailureNotes = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
  }
}

interface FailureNotes {
  readonly cause?: unknown;
  readonly status?: ExitStatus;
}

/** What was asked for makes no sense, and never will. */
export function wrongUsage(message: string): CommandFailed {
  return new CommandFailed(message, { status: EXIT.usage });
}
