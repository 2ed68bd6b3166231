/** A command that did not do what it was asked to. The message is for people; there is no stack trace in it. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
}

export const EXIT = {
  ok: 0,
  /** The world, or the deployment, said no; or a check found something. */
  failed: 1,
  /** The command line is not one we know. */
  usage: 2,
  /** A broken promise of our own; a supervisor should start the process again. */
  crashed: 70,
} as const;
