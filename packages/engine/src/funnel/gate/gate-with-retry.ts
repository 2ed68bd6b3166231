/**
 * A gate whose answers get lost is asked again: every call is harmless to repeat, and carries the deadline after which it
 * moves nothing. Stacked over any gate, so that the simulator runs this policy, too.
 */
import { Fault } from '../../domain/fault.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ClaimOutcome, Gate, GateCall } from '../../ports/gate.ts';

const ATTEMPTS = 3;
const BETWEEN_ATTEMPTS_MS = 50;

interface OpenAnswer<Answer> {
  /** An earlier attempt may have been carried out, or may yet be: such an answer says nothing about it. */
  readonly isOpen: (answer: Answer) => boolean;
  /** What it says all the same, when there is no attempt left; nothing when not given. */
  readonly toldOf?: (answer: Answer) => Answer;
}

export function gateWithRetry(gate: Gate, clock: Clock): Gate {
  async function repeat<Answer>(
    call: GateCall,
    send: () => Promise<Answer>,
    { isOpen, toldOf }: OpenAnswer<Answer>,
  ): Promise<Answer> {
    let isUnclear = false;
    let told: { readonly answer: Answer } | null = null;
    for (let attempt = 1; ; attempt++) {
      try {
        const answer = await send();
        if (!isUnclear || !isOpen(answer)) return answer;
        if (toldOf) told = { answer: toldOf(answer) };
        throw new Fault('outcome_unknown');
      } catch (error) {
        if (!(error instanceof Fault) || !error.retryable) throw error;
        isUnclear ||= error.code === 'outcome_unknown';
        if (attempt === ATTEMPTS || clock.nowMs() + BETWEEN_ATTEMPTS_MS > call.deadlineMs) {
          if (told) return told.answer;
          throw isUnclear ? new Fault('outcome_unknown', undefined, error) : error;
        }
        await new Promise<void>((resolve) => clock.after(BETWEEN_ATTEMPTS_MS, resolve));
      }
    }
  }
  const late = { isOpen: (answer: unknown) => answer === 'late' };

  return {
    identity: (segment, limitGroup) => gate.identity(segment, limitGroup),
    claim: (call, claims) =>
      repeat(call, () => gate.claim(call, claims), {
        isOpen: (outcomes) => outcomes.some(isRefusal),
        toldOf: (outcomes) => outcomes.map(unknownIfRefused),
      }),
    markSettled: (call, claims) => repeat(call, () => gate.markSettled(call, claims), late),
    credit: (call, credit) => repeat(call, () => gate.credit(call, credit), late),
    debit: (call, debit) => repeat(call, () => gate.debit(call, debit), late),
    release: (call, claim, epoch, destination) =>
      repeat(call, () => gate.release(call, claim, epoch, destination), late),
    setTerms: (call, terms, epoch) => repeat(call, () => gate.setTerms(call, terms, epoch), late),
    load: (call, load) => repeat(call, () => gate.load(call, load), late),
    strays: (segment, from, queued) => gate.strays(segment, from, queued),
    requeue: (call, claims) => repeat(call, () => gate.requeue(call, claims), late),
    read: (segment) => gate.read(segment),
  };
}

/** A claim that is refused now may still be won by an earlier attempt that is on its way. */
function isRefusal({ kind }: ClaimOutcome): boolean {
  return kind !== 'claimed' && kind !== 'replayed' && kind !== 'content_differs';
}

function unknownIfRefused(outcome: ClaimOutcome): ClaimOutcome {
  return isRefusal(outcome) ? { kind: 'unknown' } : outcome;
}
