/** What every call to the gate's scripts begins with, and how its answer is taken. */
import { invariant } from '../../domain/invariant.ts';
import type { GateCall } from '../../ports/gate.ts';
import type { RedisConnection } from './connection.ts';

/** Taken in the same turn in which the call is written, so it is the identity of the socket that carries it (P2). */
export function stampOf(connection: RedisConnection, call: GateCall) {
  return { server: connection.identity(), identity: call.identity, deadline_ms: call.deadlineMs };
}

/** What the script refused as an argument is a promise that we broke. */
export function wordOr<Word extends string>(answer: Word | readonly unknown[], promise: string) {
  invariant(typeof answer === 'string' && answer !== 'bad_argument', promise);
  return answer as Exclude<Word, 'bad_argument'>;
}
