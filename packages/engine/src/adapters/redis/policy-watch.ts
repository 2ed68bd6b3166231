/**
 * Whether the servers may throw keys away now. Who starts on one that may is refused; this is for the one whose policy is changed
 * while it is in use. A server that cannot be asked is as it was when it was asked last.
 */
import { isGateFault } from '../../domain/fault.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Masters } from './masters.ts';
import { evictionSentence, readEvictionPolicy } from './server-settings.ts';

export interface PolicyWatch {
  isSafe(): boolean;
  close(): void;
}

/** Told when it changes: why it is not safe to sell from them, or null once it is again. */
export type OnPolicy = (sentence: string | null) => void;

/** One small question to each master. */
const LOOK_MS = 2_000;

export function watchPolicies(masters: Masters, clock: Clock, onPolicy: OnPolicy): PolicyWatch {
  let unsafe: string | null = null;
  let callOff: () => void = () => {};
  let isClosed = false;

  async function look(): Promise<void> {
    try {
      const policies = await Promise.all(masters.all().map(readEvictionPolicy));
      const policy = policies.find((each) => each !== 'noeviction');
      const found = policy === undefined ? null : evictionSentence(policy);
      if (found !== unsafe && !isClosed) onPolicy(found);
      unsafe = found;
    } catch (error) {
      if (!isGateFault(error)) throw error;
    }
    schedule();
  }

  function schedule(): void {
    if (!isClosed) callOff = clock.after(LOOK_MS, () => void look());
  }

  schedule();
  return {
    isSafe: () => unsafe === null,
    close() {
      isClosed = true;
      callOff();
    },
  };
}
