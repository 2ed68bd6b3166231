/** What stands behind a dry quota: here where this process works, else with one that does. */
import type { SaleId } from '../domain/ids.ts';
import type { DryVerdict } from '../domain/inventory/dry.ts';
import type { SegmentKey } from '../domain/inventory/quota.ts';
import { answerLending } from '../inventory/answer-lending.ts';
import type { DeliverDeps } from '../inventory/deliver.ts';
import { sweepPlaces } from '../inventory/judge-dry.ts';
import { createFarLender, createLender, type Lender } from '../inventory/lender.ts';
import type { ReadPlacesDeps } from '../inventory/read-places.ts';
import type { LendingLine } from '../ports/lending-line.ts';
import type { EngineParts } from './engine.ts';

export interface Sweeping {
  readonly sweep: (saleId: SaleId) => Promise<DryVerdict>;
  /** Null: this process has the ledger, and asks nobody. */
  readonly line: LendingLine | null;
}

export function createSweeping({ lendingLine, works = true }: EngineParts, deps: ReadPlacesDeps): Sweeping {
  const line = works ? null : (lendingLine ?? null);
  return { line, sweep: line ? (saleId) => judgeFar(line, saleId) : (saleId) => sweepPlaces(deps, saleId) };
}

/** What cannot be told is not said to be gone. */
async function judgeFar(line: LendingLine, saleId: SaleId): Promise<DryVerdict> {
  const answer = await line.ask({ kind: 'judge', saleId });
  return answer?.kind === 'sold_out' || answer?.kind === 'none_left_now' ? answer.kind : 'units_left';
}

export interface Lending {
  readonly lender: Lender;
  /** From now on other processes are answered, of which several may. */
  listen(isOurs: (segment: SegmentKey) => boolean): void;
  end(): void;
}

export function createLending(
  { clock, lendingLine, works = true, onFault, onCrash }: EngineParts,
  { sweep, line }: Sweeping,
  deps: DeliverDeps,
): Lending {
  const lender = line ? createFarLender(clock, line) : createLender({ ...deps, clock });
  let end = () => {};
  return {
    lender,
    listen(isOurs) {
      if (works && lendingLine) end = answerLending({ line: lendingLine, lender, sweep, isOurs, onFault, onCrash });
    },
    end: () => end(),
  };
}
