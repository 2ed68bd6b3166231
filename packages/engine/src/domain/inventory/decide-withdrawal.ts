/**
 * Stock withdrawn from a sale that lives: units that are not sold leave its total, all that were asked for or none.
 *
 * What the centre has free goes at once. Else the withdrawal stays open while units come back from the gates; meanwhile
 * nothing free goes out, so that it is not sold from under it. When all that was asked back has come, it takes the units, or
 * is refused whole and what came back is allotted again: buyers may have been faster. Decisions only; read and applied in
 * one transaction. Law: free + allotted = total, before and after.
 */
import type { SaleId } from '../ids.ts';
import { invariant, isUnitCount } from '../invariant.ts';
import type { SaleState } from '../sale/sale.ts';
import type { Centre } from './centre.ts';

export interface WithdrawalRequest {
  /** Of this attempt: one that was refused must not be opened by a call of it that comes late. */
  readonly id: string;
  readonly saleId: SaleId;
  /** The operator's id; told twice, the units leave once. */
  readonly delivery: string;
  readonly units: number;
}

export interface Withdrawal extends WithdrawalRequest {
  readonly state: 'open' | 'withdrawn' | 'refused';
}

export type WithdrawalAnswer =
  | { readonly kind: 'withdrawn'; readonly centre: Centre }
  /** They left before, under this delivery id; nothing changes. */
  | { readonly kind: 'repeated'; readonly centre: Centre }
  /** Units must come back first. */
  | { readonly kind: 'open'; readonly withdrawal: Withdrawal; readonly centre: Centre }
  /** There are not as many; nothing has left. */
  | { readonly kind: 'refused'; readonly centre: Centre }
  /** The delivery id was used for another number of units. */
  | { readonly kind: 'content_differs'; readonly centre: Centre }
  /** Of a sale that is closed or settled nothing is withdrawn. */
  | { readonly kind: 'wrong_state'; readonly centre: Centre };

export interface WithdrawalView {
  readonly state: SaleState;
  readonly centre: Centre;
  /** Units in quotas that no order has: more cannot come back. */
  readonly unorderedUnits: number;
  /** This attempt, or another of the same delivery that was not refused. */
  readonly known: Withdrawal | null;
  /** Units received under the delivery id; null: none. */
  readonly receivedUnits: number | null;
}

/** What is to be written is the attempt in the state that the answer names; nothing when it was known. */
export function decideWithdrawal(view: WithdrawalView, request: WithdrawalRequest): WithdrawalAnswer {
  const { centre, known } = view;
  const { units } = request;
  invariant(isUnitCount(units) && units > 0, 'a withdrawal is a positive whole number of units');
  if (view.receivedUnits !== null) return { kind: 'content_differs', centre };
  if (known) return answerAgain(known, units, centre);
  if (view.state === 'closed' || view.state === 'settled') return { kind: 'wrong_state', centre };
  if (centre.freeUnits >= units) return { kind: 'withdrawn', centre: afterWithdrawal(centre, units) };
  if (centre.freeUnits + view.unorderedUnits < units) return { kind: 'refused', centre };
  return { kind: 'open', withdrawal: { ...request, state: 'open' }, centre };
}

function answerAgain(known: Withdrawal, units: number, centre: Centre): WithdrawalAnswer {
  if (known.units !== units) return { kind: 'content_differs', centre };
  switch (known.state) {
    case 'open':
      return { kind: 'open', withdrawal: known, centre };
    case 'withdrawn':
      return { kind: 'repeated', centre };
    case 'refused':
      return { kind: 'refused', centre };
  }
}

export interface ClosingView {
  readonly centre: Centre;
  /** Returns of the sale that are not finished: they may bring what is missing. */
  readonly openReturns: number;
}

export function decideCloseWithdrawal(view: ClosingView, withdrawal: Withdrawal): WithdrawalAnswer {
  const { centre, openReturns } = view;
  const { units } = withdrawal;
  if (withdrawal.state !== 'open') return answerAgain(withdrawal, units, centre);
  if (centre.freeUnits >= units) return { kind: 'withdrawn', centre: afterWithdrawal(centre, units) };
  return openReturns > 0 ? { kind: 'open', withdrawal, centre } : { kind: 'refused', centre };
}

function afterWithdrawal(centre: Centre, units: number): Centre {
  return { ...centre, totalUnits: centre.totalUnits - units, freeUnits: centre.freeUnits - units };
}
