/**
 * What an error of the client or the server says about the call: it was not carried out, or nobody knows. (Carried out is an
 * answer.) The three are never mixed: only what was surely not carried out may be told to a buyer as "come again".
 */
import { Fault } from '../../domain/fault.ts';
import { InvariantError } from '../../domain/invariant.ts';

/** The client had no socket to write to. */
const NEVER_WRITTEN = /^Stream isn't writeable|ECONNREFUSED|ENOTFOUND|EAI_AGAIN/;
/** A script of ours failed in itself. */
const SCRIPT_BUG = /^ERR .*(user_script|Error (running|compiling) script)/;
/** A key of the segment is foreign, or its stream is ahead of it: the scripts meet that before their first write. */
const DAMAGED = /^WRONGTYPE|equal or smaller than the target stream top item/;

/** The server refused the call with words; a script that begins to write goes on to its end. */
function replyOf(error: unknown): string | null {
  return error instanceof Error && error.name === 'ReplyError' ? error.message : null;
}

export function isDamage(error: unknown): boolean {
  return DAMAGED.test(replyOf(error) ?? '');
}

/** The key, or the right to write it, is another server's: not carried out here. */
const ELSEWHERE = /^(MOVED|ASK|TRYAGAIN|CLUSTERDOWN|READONLY) /;

export function isElsewhere(error: unknown): boolean {
  return ELSEWHERE.test(replyOf(error) ?? '');
}

export function isUnknownScript(error: unknown): boolean {
  return replyOf(error)?.startsWith('NOSCRIPT') ?? false;
}

export function faultOf(error: unknown): Error {
  if (!(error instanceof Error)) return new InvariantError('what the Redis client throws is an error');
  if (error instanceof Fault || error instanceof InvariantError) return error;
  const reply = replyOf(error);
  if (reply !== null) {
    if (SCRIPT_BUG.test(reply)) return new InvariantError(`a script runs to its end: ${reply}`);
    return new Fault('gate_unavailable', `Redis refused a call: ${reply}`, error);
  }
  if (NEVER_WRITTEN.test(error.message)) return new Fault('gate_unavailable', undefined, error);
  return new Fault('outcome_unknown', undefined, error);
}
