/**
 * What a rush times, by what was answered. A call counts from when its buyer meant to send it: for the first one that is the
 * buyer's place in the schedule, so neither a client that is late nor one that waits for a socket flatters a slow server.
 */
import type { Answer, DeploymentCall } from './deployment-client.ts';
import { createLatencyRecorder, type Latencies } from './latencies.ts';
import { comeAgainMs } from './patient-caller.ts';

export const LATENCY_KINDS = {
  token: 'calls that were answered with a token',
  accepted: 'purchases that were answered with an order',
  refused: 'calls for a token or a purchase that were refused for good',
  comeAgain: 'such calls that were told to come again (429, 503)',
  visit: 'whole visits, from when the buyer meant to come to the last answer, waits included',
} as const;

export type LatencyKind = keyof typeof LATENCY_KINDS;

export interface LatencyKinds {
  call(call: DeploymentCall, answer: Answer, durationMs: number): void;
  visit(durationMs: number): void;
  summary(): Readonly<Record<LatencyKind, Latencies>>;
}

export function createLatencyKinds(): LatencyKinds {
  const recorders = {
    ...{ token: createLatencyRecorder(), accepted: createLatencyRecorder(), refused: createLatencyRecorder() },
    ...{ comeAgain: createLatencyRecorder(), visit: createLatencyRecorder() },
  };
  return {
    call(call, answer, durationMs) {
      const kind = kindOf(call, answer);
      if (kind) recorders[kind].record(durationMs);
    },
    visit: (durationMs) => recorders.visit.record(durationMs),
    summary: () => ({
      ...{ token: recorders.token.summary(), accepted: recorders.accepted.summary() },
      ...{ refused: recorders.refused.summary(), comeAgain: recorders.comeAgain.summary() },
      visit: recorders.visit.summary(),
    }),
  };
}

function kindOf({ method, path }: DeploymentCall, answer: Answer): LatencyKind | null {
  const isPurchase = path.endsWith('/purchases');
  if (method !== 'POST' || !(isPurchase || path.endsWith('/token'))) return null;
  if (answer.kind === 'ok') return isPurchase ? 'accepted' : 'token';
  return comeAgainMs(answer) === null ? 'refused' : 'comeAgain';
}
