/**
 * A client with patience: it repeats a call that is harmless to repeat, after a lost connection soon, after "come again" when
 * it was told to, until there is an answer that will not change by itself.
 */
import { REASONS } from '@sluice/contract/codes';
import { type Answer, type DeploymentCall, type DeploymentClient, NoAnswer } from './deployment-client.ts';
import type { Dice } from './dice.ts';

export interface PatientCaller {
  /** Null: patience ran out. */
  ask(call: DeploymentCall): Promise<Answer | null>;
}

export interface PatientCallerParts {
  readonly client: DeploymentClient;
  readonly dice: Dice;
  readonly patienceMs: number;
  /** Told of every answer and what it took. */
  readonly onAnswer?: (call: DeploymentCall, durationMs: number) => void;
  /** Told of every try that has to be repeated. */
  readonly onRetry: () => void;
}

const RECONNECT_MS = 100;
const COME_AGAIN_MS = 1_000;
/** Waits are spread by as much again, so that those who were turned away together do not return together. */
const SPREAD = 0.5;

export function createPatientCaller({
  client,
  dice,
  patienceMs,
  onAnswer,
  onRetry,
}: PatientCallerParts): PatientCaller {
  return {
    async ask(call) {
      const untilMs = performance.now() + patienceMs;
      for (;;) {
        const { answer, waitMs } = await tryOnce(call);
        if (waitMs === null) return answer;
        const spreadMs = waitMs * (1 + SPREAD * dice.roll());
        if (performance.now() + spreadMs > untilMs) return null;
        onRetry();
        await new Promise((resolve) => setTimeout(resolve, spreadMs));
      }
    },
  };

  async function tryOnce(
    call: DeploymentCall,
  ): Promise<{ readonly answer: Answer | null; readonly waitMs: number | null }> {
    const startedMs = performance.now();
    try {
      const answer = await client.call(call);
      onAnswer?.(call, performance.now() - startedMs);
      const comesAgain = answer.kind === 'refused' && REASONS[answer.reason].retry === 'then';
      return { answer, waitMs: comesAgain ? (answer.retryAfterMs ?? COME_AGAIN_MS) : null };
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      return { answer: null, waitMs: RECONNECT_MS };
    }
  }
}
