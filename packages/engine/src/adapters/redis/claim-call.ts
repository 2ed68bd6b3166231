/** The words of a claim call: requests to columns, and the script's answers to outcomes. */
import { earlierMark } from '../../domain/gate/decide-claim.ts';
import { invariant } from '../../domain/invariant.ts';
import type { SegmentKey } from '../../domain/inventory/quota.ts';
import type { ClaimOutcome, ClaimRequest } from '../../ports/gate.ts';
import { readMarks, readOrigin, writeWord } from './marks.ts';
import type { Argument } from './script.ts';

export interface ClaimColumns {
  readonly run_count: number;
  readonly columns: readonly Argument[];
}

/** Claims beside each other that want the same are one run: mostly all are. */
export function writeClaims(requests: readonly ClaimRequest[]): ClaimColumns {
  const runs: { readonly channel: string; readonly isForLateMoney: boolean; length: number }[] = [];
  for (const { channel, isForLateMoney = false } of requests) {
    const run = runs.at(-1);
    if (run?.channel === channel && run.isForLateMoney === isForLateMoney) run.length += 1;
    else runs.push({ channel, isForLateMoney, length: 1 });
  }
  return {
    run_count: runs.length,
    columns: [
      ...runs.flatMap((run) => [writeWord(run.channel), run.isForLateMoney ? 1 : 0, run.length]),
      ...requests.map((request) => request.buyerId),
      ...requests.map((request) => writeWord(request.orderId)),
      ...requests.map((request) => request.units),
    ],
  };
}

const CODE_KINDS: ReadonlyMap<unknown, 'not_ready' | 'paused' | 'closed' | 'over' | 'dry'> = new Map([
  [-2, 'not_ready'],
  [-4, 'paused'],
  [-5, 'closed'],
  [-7, 'over'],
  [-8, 'dry'],
] as const);
const NOT_STARTED = -6;

export function readAnswers(
  segment: SegmentKey,
  requests: readonly ClaimRequest[],
  reply: readonly unknown[],
): ClaimOutcome[] {
  const [epoch, startsAtMs, ...answers] = reply;
  invariant(answers.length === requests.length, 'every claim is answered');
  return requests.map((request, at) => {
    const answer = answers[at];
    const kind = CODE_KINDS.get(answer);
    if (kind !== undefined) return { kind };
    if (answer === NOT_STARTED) return { kind: 'not_started', startsAtMs: Number(startsAtMs) };
    if (typeof answer === 'number') return claimed(segment, request, `${epoch}-${answer}`);
    if (Array.isArray(answer)) return { kind: 'not_enough_left', leftUnits: Number(answer[0]) };
    return replayOrLimit(segment, request, String(answer));
  });
}

function claimed(segment: SegmentKey, request: ClaimRequest, position: string): ClaimOutcome {
  const { orderId, buyerId, channel, units } = request;
  const origin = { ...readOrigin(segment, position, ''), channel };
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
