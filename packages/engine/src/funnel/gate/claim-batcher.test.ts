import { describe, expect, it } from 'vitest';
import { Fault } from '../../domain/fault.ts';
import { type ClaimOutcome, type ClaimRequest, type Gate, MAX_CLAIMS_PER_CALL } from '../../ports/gate.ts';
import { createClaimBatcher } from './claim-batcher.ts';

const SEGMENT = { saleId: 's', region: 'home', segment: 0 };
const openCall = async () => ({ segment: SEGMENT, identity: 'me', deadlineMs: 1 });

/** A gate that answers when it is told to, and remembers what travelled together. */
function newSlowGate() {
  const calls: { readonly ids: readonly string[]; answer(): void; fail(error: unknown): void }[] = [];
  const claim = (_call: unknown, claims: readonly ClaimRequest[]) =>
    new Promise<readonly ClaimOutcome[]>((resolve, reject) => {
      calls.push({
        ids: claims.map((each) => each.orderId),
        answer: () => resolve(claims.map((each) => ({ kind: 'not_enough_left', leftUnits: Number(each.orderId) }))),
        fail: reject,
      });
    });
  return { calls, gate: { claim } as unknown as Gate };
}

const request = (id: number): ClaimRequest => ({ orderId: String(id), buyerId: 'b', channel: 'main', units: 1 });
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('claims that arrive together', () => {
  it('go at once while the gate is idle, then gather behind two calls, in order', async () => {
    const { gate, calls } = newSlowGate();
    const batcher = createClaimBatcher(gate, openCall);
    const answers = Array.from({ length: 10 }, (_, id) => batcher.claim(request(id)));
    await settle();
    expect(calls.map((call) => call.ids)).toEqual([['0'], ['1']]);
    calls[0]?.answer();
    await settle();
    expect(calls[2]?.ids).toEqual(['2', '3', '4', '5', '6', '7', '8', '9']);
    calls[1]?.answer();
    calls[2]?.answer();
    const lefts = (await Promise.all(answers)).map(
      (outcome) => outcome.kind === 'not_enough_left' && outcome.leftUnits,
    );
    expect(lefts).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('never exceed what one call may carry', async () => {
    const { gate, calls } = newSlowGate();
    const batcher = createClaimBatcher(gate, openCall);
    const answers = Array.from({ length: 1_000 }, (_, id) => batcher.claim(request(id)));
    await settle();
    // Each answer lets the next call out, which is then answered, too.
    for (const call of calls) {
      call.answer();
      await settle();
    }
    await Promise.all(answers);
    expect(Math.max(...calls.map((call) => call.ids.length))).toBe(MAX_CLAIMS_PER_CALL);
    expect(calls.flatMap((call) => call.ids)).toEqual(answers.map((_, id) => String(id)));
  });

  it('are turned away when too many wait', async () => {
    const { gate } = newSlowGate();
    const batcher = createClaimBatcher(gate, openCall);
    for (let id = 0; id < 2 + 16_384; id++) void batcher.claim(request(id));
    expect(await batcher.claim(request(-1))).toEqual({ kind: 'busy' });
  });

  it('are unknown when the answer was lost, busy when nothing was sent, and loud when we are wrong', async () => {
    const { gate, calls } = newSlowGate();
    const batcher = createClaimBatcher(gate, openCall);
    const faults = [new Fault('outcome_unknown'), new Fault('gate_unavailable'), new Error('a bug')];
    const answers: Promise<unknown>[] = [];
    for (const [index, fault] of faults.entries()) {
      answers.push(batcher.claim(request(index)).catch((error: unknown) => error));
      await settle();
      calls[index]?.fail(fault);
      await settle();
    }
    expect(await Promise.all(answers)).toEqual([{ kind: 'unknown' }, { kind: 'busy' }, faults[2]]);
  });
});
