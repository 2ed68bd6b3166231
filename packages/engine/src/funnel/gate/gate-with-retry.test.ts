import { describe, expect, it } from 'vitest';
import { systemClock } from '../../adapters/system/clock.ts';
import { Fault } from '../../domain/fault.ts';
import type { Gate } from '../../ports/gate.ts';
import { gateWithRetry } from './gate-with-retry.ts';

const call = () => ({
  segment: { saleId: 's', region: 'home', segment: 0 },
  identity: 'me',
  deadlineMs: systemClock.nowMs() + 1_000,
});
const credit = { moveId: 'm', epoch: 1, channel: 'main', units: 1 };

function gateThat(...answers: (string | Error)[]) {
  let sent = 0;
  const answer = async () => {
    const next = answers[Math.min(sent++, answers.length - 1)];
    if (next instanceof Error) throw next;
    return next;
  };
  return { gate: gateWithRetry({ credit: answer } as unknown as Gate, systemClock), sent: () => sent };
}

describe('a gate whose answers get lost', () => {
  it('is asked again, and its answer is the one that arrives', async () => {
    const { gate, sent } = gateThat(new Fault('outcome_unknown'), new Fault('gate_unavailable'), 'repeated');
    expect(await gate.credit(call(), credit)).toBe('repeated');
    expect(sent()).toBe(3);
  });

  it('is given up after a bounded number of tries, and stays unknown when one of them may have been carried out', async () => {
    const { gate, sent } = gateThat(new Fault('outcome_unknown'), new Fault('gate_unavailable'));
    await expect(gate.credit(call(), credit)).rejects.toMatchObject({ code: 'outcome_unknown' });
    expect(sent()).toBe(3);
    const away = gateThat(new Fault('gate_unavailable'));
    await expect(away.gate.credit(call(), credit)).rejects.toMatchObject({ code: 'gate_unavailable' });
  });

  it('is unknown when the repeat came too late: the first call may have been carried out', async () => {
    const { gate } = gateThat(new Fault('outcome_unknown'), 'late');
    await expect(gate.credit(call(), credit)).rejects.toMatchObject({ code: 'outcome_unknown' });
    expect(await gateThat('late').gate.credit(call(), credit)).toBe('late');
  });

  function claimsThat(...outcomes: (readonly { readonly kind: string }[] | Error)[]) {
    const claim = async () => {
      const next = outcomes.shift();
      if (next instanceof Error) throw next;
      return next;
    };
    return gateWithRetry({ claim } as unknown as Gate, systemClock);
  }

  it('is unknown when the repeated claim was refused: the first one may still be on its way', async () => {
    const gate = claimsThat(new Fault('outcome_unknown'), [{ kind: 'dry' }], [{ kind: 'claimed' }]);
    expect(await gate.claim(call(), [])).toEqual([{ kind: 'claimed' }]);
  });

  it('leaves unknown only the claims that were refused: who has won is told so', async () => {
    const told = [{ kind: 'replayed' }, { kind: 'dry' }, { kind: 'claimed' }];
    const gate = claimsThat(new Fault('outcome_unknown'), told, new Fault('gate_unavailable'));
    expect(await gate.claim(call(), [])).toEqual([{ kind: 'replayed' }, { kind: 'unknown' }, { kind: 'claimed' }]);
    const never = claimsThat(
      new Fault('outcome_unknown'),
      new Fault('gate_unavailable'),
      new Fault('gate_unavailable'),
    );
    await expect(never.claim(call(), [])).rejects.toMatchObject({ code: 'outcome_unknown' });
  });

  it('is not asked again for what a repeat cannot mend', async () => {
    const { gate, sent } = gateThat(new Error('a bug'));
    await expect(gate.credit(call(), credit)).rejects.toThrow('a bug');
    expect(sent()).toBe(1);
  });
});
