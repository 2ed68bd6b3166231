import { describe, expect, it } from 'vitest';
import { createMemoryLedger } from '../../adapters/memory/ledger.ts';
import { createManualClock } from '../../adapters/memory/manual-clock.ts';
import { Fault, type FaultCode } from '../../domain/fault.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { newClaim, newDraft, openSale, QUOTAS } from '../../ports/ledger-fixture.contract.ts';
import { ledgerWithRetry } from './ledger-with-retry.ts';

/** Time passes as fast as it is waited for. */
function hastyClock(): Clock & { readonly waitsMs: number[] } {
  const clock = createManualClock(0);
  const waitsMs: number[] = [];
  return {
    ...{ nowMs: clock.nowMs, monotonicMs: clock.monotonicMs, waitsMs },
    after(delayMs, action) {
      waitsMs.push(delayMs);
      clock.advance(delayMs);
      queueMicrotask(action);
      return () => {};
    },
  };
}

/** A memory ledger that fails as told: `before` a call is carried out, or after it. */
function troubled(faults: (FaultCode | { readonly after: FaultCode })[]) {
  const clock = hastyClock();
  const memory = createMemoryLedger({ clock });
  let calls = 0;
  const settle: Ledger['settlement']['settle'] = async (claims) => {
    calls++;
    const fault = faults.shift();
    if (typeof fault === 'string') throw new Fault(fault);
    const outcomes = await memory.settlement.settle(claims);
    if (fault) throw new Fault(fault.after);
    return outcomes;
  };
  const ledger = ledgerWithRetry(
    { ...memory, settlement: { ...memory.settlement, settle } },
    { clock, random: () => 0.5 },
  );
  return { memory, ledger, clock, calls: () => calls };
}

describe('a ledger with retry', () => {
  it('begins a transaction again that was in another’s way, after longer and longer waits', async () => {
    const { memory, ledger, clock } = troubled(['ledger_conflict', 'ledger_conflict', 'ledger_conflict']);
    const saleId = await openSale(memory);
    expect(await ledger.settlement.settle([newClaim(saleId, 1)])).toMatchObject([{ kind: 'settled' }]);
    expect(clock.waitsMs).toEqual([7.5, 15, 30]);
  });

  it('gives up after eight, with the fault that it met', async () => {
    const { memory, ledger, calls } = troubled(new Array(20).fill('ledger_conflict'));
    const saleId = await openSale(memory);
    await expect(ledger.settlement.settle([newClaim(saleId, 1)])).rejects.toMatchObject({ code: 'ledger_conflict' });
    expect(calls()).toBe(8);
  });

  it('asks once more when the laws refuse it, and not twice', async () => {
    const once = troubled(['ledger_constraint']);
    const saleId = await openSale(once.memory);
    expect(await once.ledger.settlement.settle([newClaim(saleId, 1)])).toMatchObject([{ kind: 'settled' }]);
    const twice = troubled(['ledger_constraint', 'ledger_constraint']);
    await expect(twice.ledger.settlement.settle([newClaim(saleId, 1)])).rejects.toMatchObject({
      code: 'ledger_constraint',
    });
  });

  it('finds out what became of a settlement whose answer was lost', async () => {
    for (const fault of ['outcome_unknown', { after: 'outcome_unknown' }] as const) {
      const { memory, ledger } = troubled([fault]);
      const saleId = await openSale(memory);
      const claim = newClaim(saleId, 1);
      const [outcome] = await ledger.settlement.settle([claim]);
      expect(outcome).toMatchObject({ order: { orderId: claim.orderId, state: 'pending' } });
      const stock = await memory.inventoryCentre.stock(saleId, []);
      expect(stock?.quotas.reduce((sum, quota) => sum + quota.heldUnits, 0)).toBe(1);
    }
  });

  it('passes on an unknown outcome of what would answer a repeat differently', async () => {
    const clock = hastyClock();
    const memory = createMemoryLedger({ clock });
    let calls = 0;
    const create: Ledger['sales']['create'] = async () => {
      calls++;
      throw new Fault('outcome_unknown');
    };
    const ledger = ledgerWithRetry({ ...memory, sales: { ...memory.sales, create } }, { clock, random: () => 0.5 });
    await expect(ledger.sales.create(newDraft(), QUOTAS)).rejects.toMatchObject({ code: 'outcome_unknown' });
    expect(calls).toBe(1);
  });

  it('leaves a ledger that is not there to others', async () => {
    const { memory, ledger, calls } = troubled(['ledger_unavailable']);
    const saleId = await openSale(memory);
    await expect(ledger.settlement.settle([newClaim(saleId, 1)])).rejects.toMatchObject({ code: 'ledger_unavailable' });
    expect(calls()).toBe(1);
  });
});
