/**
 * A client with patience: it repeats a call that is harmless to repeat, after a lost connection soon, after "come again" when
 * it was told to, until there is an answer that will not change by itself.
 */
import { REASONS } from '@sluice/contract/codes';
import { type Answer, type DeploymentCall, type DeploymentClient, NoAnswer } from './deployment-client.ts';
import type { Dice } from './dice.ts';

/** Patience ran out. */
export interface GaveUp {
  readonly kind: 'gave_up';
  /** What was said last; null when nobody said anything. */
  readonly told: string | null;
}

export interface PatientCaller {
  /** `intendedMs`: when the call was meant to be sent, by `performance.now()`; now when not given. */
  ask(call: DeploymentCall, intendedMs?: number): Promise<Answer | GaveUp>;
  /** Once, and whatever comes of it. Null: no answer. */
  tryOnce(call: DeploymentCall, intendedMs?: number): Promise<Answer | null>;
}

export interface PatientCallerParts {
  readonly client: DeploymentClient;
  readonly dice: Dice;
  readonly patienceMs: number;
  /** Told of every answer and what it took, from when the call was meant to be sent. */
  readonly onAnswer?: (call: DeploymentCall, answer: Answer, durationMs: number) => void;
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
  async function tryOnce(call: DeploymentCall, intendedMs = performance.now()): Promise<Answer | null> {
    try {
      const answer = await client.call(call);
      onAnswer?.(call, answer, performance.now() - intendedMs);
      return answer;
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      return null;
    }
  }

  return {
    tryOnce,
    async ask(call, intendedMs = performance.now()) {
      const untilMs = intendedMs + patienceMs;
      let told: string | null = null;
      for (let sendMs = intendedMs; ; ) {
        const answer = await tryOnce(call, sendMs);
        const waitMs = answer ? comeAgainMs(answer) : RECONNECT_MS;
        if (answer && waitMs === null) return answer;
        if (answer) told = answer.kind === 'refused' ? answer.reason : `HTTP ${answer.status}`;
        // A timer that is late is the sender's own lag, and counts as such: the call was meant for this moment.
        sendMs = performance.now() + (waitMs ?? 0) * (1 + SPREAD * dice.roll());
        if (sendMs > untilMs) return { kind: 'gave_up', told };
        onRetry();
        await new Promise((resolve) => setTimeout(resolve, sendMs - performance.now()));
      }
    },
  };
}

/** Null: the answer will not change by itself. */
export function comeAgainMs(answer: Answer): number | null {
  switch (answer.kind) {
    case 'ok':
      return null;
    case 'refused':
      return REASONS[answer.reason].retry === 'then' ? (answer.retryAfterMs ?? COME_AGAIN_MS) : null;
    case 'foreign':
      // Something in front of the deployment says it, in its own words.
      return answer.status === 503 || answer.status === 429 ? answer.retryAfterMs : null;
  }
}

/** What a deployment may never say: something broke in it, or it is busy and does not say until when. */
export function isServerError(answer: Answer): boolean {
  if (answer.kind === 'ok' || answer.status < 500) return false;
  return answer.status !== 503 || !answer.hasRetryAfter;
}
