/**
 * Claims that arrive together travel together: one call to the gate judges all that came for a segment since the last call.
 * Nobody waits while the gate is idle; while two calls are on their way, arrivals gather for the next. Order of arrival is
 * kept.
 */
import { Fault } from '../../domain/fault.ts';
import { type SegmentKey, segmentName } from '../../domain/inventory/quota.ts';
import {
  type ClaimOutcome,
  type ClaimRequest,
  type Gate,
  type GateCall,
  MAX_CLAIMS_PER_CALL,
} from '../../ports/gate.ts';

export type BatchedOutcome =
  /** `unknown` also when the answer was lost. */
  | ClaimOutcome
  /** Too many are waiting already; nothing was sent. */
  | { readonly kind: 'busy' };

export interface ClaimBatcher {
  claim(request: ClaimRequest): Promise<BatchedOutcome>;
}

/** One call is judged while the next travels. */
const MAX_CALLS_IN_FLIGHT = 2;

/** Bounds memory, and the wait: at the slowest gate we know, these take a fifth of a second. */
const MAX_WAITING = 16_384;

interface Waiting {
  readonly resolve: (outcome: BatchedOutcome) => void;
  readonly reject: (error: unknown) => void;
}

/** Gathered as it is sent: at the same place of both lists is one claim. */
interface Batch {
  readonly requests: ClaimRequest[];
  readonly waiting: Waiting[];
}

export function createClaimBatcher(gate: Gate, openCall: () => Promise<GateCall>): ClaimBatcher {
  /** All but the last are full. */
  const batches: Batch[] = [];
  let waitingCount = 0;
  let callsInFlight = 0;

  function gather(request: ClaimRequest, waiting: Waiting): void {
    let last = batches.at(-1);
    if (!last || last.requests.length === MAX_CLAIMS_PER_CALL) {
      last = { requests: [], waiting: [] };
      batches.push(last);
    }
    last.requests.push(request);
    last.waiting.push(waiting);
    waitingCount++;
  }

  async function send(batch: Batch): Promise<void> {
    callsInFlight++;
    try {
      const outcomes = await gate.claim(await openCall(), batch.requests);
      batch.waiting.forEach((each, index) => {
        each.resolve(outcomes[index] ?? { kind: 'unknown' });
      });
    } catch (error) {
      for (const each of batch.waiting) failOne(each, error);
    } finally {
      callsInFlight--;
      sendNext();
    }
  }

  function sendNext(): void {
    if (callsInFlight === MAX_CALLS_IN_FLIGHT) return;
    const batch = batches.shift();
    if (!batch) return;
    waitingCount -= batch.requests.length;
    void send(batch);
  }

  return {
    claim(request) {
      if (waitingCount >= MAX_WAITING) return Promise.resolve({ kind: 'busy' });
      return new Promise((resolve, reject) => {
        gather(request, { resolve, reject });
        sendNext();
      });
    },
  };
}

function failOne(waiting: Waiting, error: unknown): void {
  if (error instanceof Fault && error.code === 'outcome_unknown') waiting.resolve({ kind: 'unknown' });
  else if (error instanceof Fault && error.retryable) waiting.resolve({ kind: 'busy' });
  else waiting.reject(error);
}

export interface BatchersOptions {
  readonly openCall: (segment: SegmentKey) => Promise<GateCall>;
  /** What stands before each of them. */
  readonly wrap: (batcher: ClaimBatcher, segment: SegmentKey) => ClaimBatcher;
}

/** One batcher for each segment, made when it is first met. Segments are bounded by the sales that exist. */
export function createClaimBatchers(
  gate: Gate,
  { openCall, wrap }: BatchersOptions,
): (segment: SegmentKey) => ClaimBatcher {
  const batchers = new Map<string, ClaimBatcher>();
  return (segment) => {
    const name = segmentName(segment);
    const known = batchers.get(name);
    if (known) return known;
    const batcher = wrap(
      createClaimBatcher(gate, () => openCall(segment)),
      segment,
    );
    batchers.set(name, batcher);
    return batcher;
  };
}
