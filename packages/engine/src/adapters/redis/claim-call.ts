/** The words of a claim call: requests to the script's arguments, and its answers to outcomes. Both come in runs: mostly all are one. */
import { earlierMark } from '../../domain/gate/decide-claim.ts';
import { invariant } from '../../domain/invariant.ts';
import type { SegmentKey } from '../../domain/inventory/quota.ts';
import type { ClaimOutcome, ClaimRequest } from '../../ports/gate.ts';
import { readMarks, writeWord } from './marks.ts';
import type { Argument } from './script.ts';

export interface ClaimWords {
  readonly buyer_ids: string;
  readonly order_ids: string;
  readonly runs: readonly Argument[];
}

export function writeClaims(requests: readonly ClaimRequest[]): ClaimWords {
  const runs: Argument[] = [];
  let before: ClaimRequest | null = null;
  let length = 0;
  for (const request of requests) {
    if (before !== null && !wantsTheSame(before, request)) {
      runs.push(...runOf(before, length));
      length = 0;
    }
    before = request;
    length += 1;
  }
  if (before !== null) runs.push(...runOf(before, length));
  return {
    buyer_ids: writeList(requests.map(({ buyerId }) => buyerId)),
    order_ids: writeList(requests.map(({ orderId }) => writeWord(orderId))),
    runs,
  };
}

const HALF_A_CHARACTER = /\\ud[89a-f]/;

/**
 * JSON is quicker written and read, on both sides, than an argument for each claim. Half of a surrogate pair, which the server's
 * JSON does not read, is replaced as it is wherever text becomes bytes: one odd id must not spoil the claims beside it.
 */
function writeList(texts: readonly string[]): string {
  const json = JSON.stringify(texts);
  if (!HALF_A_CHARACTER.test(json)) return json;
  return JSON.stringify(texts.map((text) => text.replace(/\p{Surrogate}/gu, '\uFFFD')));
}

function wantsTheSame(one: ClaimRequest, other: ClaimRequest): boolean {
  if (one.channel !== other.channel || one.units !== other.units) return false;
  return (one.isForLateMoney ?? false) === (other.isForLateMoney ?? false);
}

function runOf({ channel, isForLateMoney = false, units }: ClaimRequest, length: number): Argument[] {
  return [writeWord(channel), isForLateMoney ? 1 : 0, units, length];
}

const CODE_OUTCOMES: ReadonlyMap<unknown, ClaimOutcome> = new Map([
  [-2, { kind: 'not_ready' }],
  [-4, { kind: 'paused' }],
  [-5, { kind: 'closed' }],
  [-7, { kind: 'over' }],
  [-8, { kind: 'dry' }],
] as const);
const NOT_STARTED = -6;

export function readAnswers(
  segment: SegmentKey,
  requests: readonly ClaimRequest[],
  reply: readonly unknown[],
): ClaimOutcome[] {
  const head = { segment, epoch: Number(reply[0]), startsAtMs: Number(reply[1]) };
  const outcomes: ClaimOutcome[] = [];
  let answered = 0;
  for (let at = 2; at < reply.length; at += 2) {
    const from = answered;
    answered += Number(reply[at]);
    pushOutcomes(outcomes, head, { requests: requests.slice(from, answered), answer: reply[at + 1] });
  }
  invariant(answered === requests.length, 'every claim is answered');
  return outcomes;
}

interface Head {
  readonly segment: SegmentKey;
  readonly epoch: number;
  readonly startsAtMs: number;
}

interface AnsweredRun {
  readonly requests: readonly ClaimRequest[];
  readonly answer: unknown;
}

function pushOutcomes(outcomes: ClaimOutcome[], head: Head, { requests, answer }: AnsweredRun): void {
  if (typeof answer === 'number' && answer > 0) {
    let seq = answer;
    for (const request of requests) outcomes.push(claimed(head, request, seq++));
    return;
  }
  const same = CODE_OUTCOMES.get(answer);
  for (const request of requests) outcomes.push(same ?? refusedOrReplayed(head, request, answer));
}

function refusedOrReplayed({ segment, startsAtMs }: Head, request: ClaimRequest, answer: unknown): ClaimOutcome {
  if (answer === NOT_STARTED) return { kind: 'not_started', startsAtMs };
  if (Array.isArray(answer)) return { kind: 'not_enough_left', leftUnits: Number(answer[0]) };
  invariant(typeof answer === 'string', 'an answer is one of those that the head of the script names');
  return replayOrLimit(segment, request, answer);
}

function claimed({ segment, epoch }: Head, request: ClaimRequest, seq: number): ClaimOutcome {
  const { orderId, buyerId, channel, units } = request;
  const origin = { region: segment.region, segment: segment.segment, channel, epoch, seq };
  return { kind: 'claimed', claim: { orderId, saleId: segment.saleId, buyerId, units, origin } };
}

/**
 * The script answers both with the buyer's claims as they stood: they say which it was. Behind a bar are those in the other
 * sales of the limit group, of which the ids alone are told.
 */
function replayOrLimit(segment: SegmentKey, request: ClaimRequest, text: string): ClaimOutcome {
  const [own = '', beside = ''] = text.split('|');
  const marks = readMarks(own, segment);
  const earlier = earlierMark(marks, request.orderId);
  if (earlier && !(request.isForLateMoney && earlier.state === 'ended')) {
    if (earlier.units !== request.units) return { kind: 'content_differs', units: earlier.units };
    return { kind: 'replayed', mark: earlier };
  }
  const live = [...marks, ...readMarks(beside, segment)].filter((mark) => mark.state !== 'ended');
  return { kind: 'over_limit', liveOrderIds: [...new Set(live.map((mark) => mark.orderId))] };
}
