/**
 * The auditor of what goes back: returns from gates to the centre, stock that comes and leaves, and the end of a sale, after
 * which nothing may move.
 */
import type { WithdrawalRequest } from '../domain/inventory/decide-withdrawal.ts';
import type { Move } from '../domain/inventory/move.ts';
import type { Sale } from '../domain/sale/sale.ts';
import type { Debit, GateCall } from '../ports/gate.ts';
import type { ReturnRequest, WithdrawResult } from '../ports/inventory-centre.ts';
import { addTo, type Books, nameOfQuota, type SegmentBook } from './books.ts';
import type { Report } from './violation.ts';

export interface ReturnAuditor {
  issued(request: ReturnRequest): void;
  debited(call: GateCall, debit: Debit, units: number): void;
  toldAgain(debit: Debit, units: number): void;
  finished(moveId: string, units: number, onward: Move | null): void;
  /** A rebuild has what they may have debited in its load. */
  voidAll(segment: SegmentBook): void;

  received(units: number): void;
  withdrawn(request: Pick<WithdrawalRequest, 'delivery' | 'units'>, result: WithdrawResult): void;
  saleChanged(sale: Sale): void;
  /** To be called with everything that moves a unit. */
  mayMove(subject: string | null, what: string): void;
}

export interface ReturnAuditorParts {
  readonly books: Books;
  readonly report: Report;
  readonly sometimes: (mark: string) => void;
  readonly touch: () => void;
  /** Tells the books which gate was called. */
  readonly moveIssued: (move: Move) => void;
  readonly gateMoved: (call: GateCall, subject: string) => SegmentBook['gate'];
}

export function createReturnAuditor(parts: ReturnAuditorParts): ReturnAuditor {
  const { books, report, sometimes, touch } = parts;
  const withdrawn = new Set<string>();

  function mayMove(subject: string | null, what: string): void {
    if (books.saleState === 'settled') report('nothing moves in a settled sale', subject, what);
  }

  return {
    mayMove,

    issued({ moveId, quota, units }) {
      if (books.returns.has(moveId)) return;
      touch();
      mayMove(moveId, 'a return is issued');
      books.returns.set(moveId, { id: moveId, quota: nameOfQuota(quota), wanted: units, units: 0, state: 'issued' });
    },

    debited(call, { moveId }, units) {
      const gate = parts.gateMoved(call, moveId);
      const move = books.returns.get(moveId);
      // A gate of an old epoch may still be asked while the next one is loaded: it has nothing that counts.
      if (move?.state === 'void') return sometimes('void-return-debited');
      if (move?.state !== 'issued') report('a return is debited once', moveId, move?.state ?? 'unknown');
      const beyond = move && move.wanted !== null && units > move.wanted;
      if (beyond) report('a return brings no more than is wanted', moveId, `${units} units`);
      sometimes(units > 0 ? 'return-debited' : 'return-of-nothing');
      if (!move) return;
      move.state = 'debited';
      move.units = units;
      if (gate) addTo(gate.available, move.quota, -units);
    },

    toldAgain({ moveId }, units) {
      const move = books.returns.get(moveId);
      sometimes('debit-repeated');
      const isDue = move && move.state !== 'void' && move.state !== 'issued';
      if (isDue && move.units !== units) report('a debit is told as it was', moveId, `${units}, not ${move.units}`);
    },

    finished(moveId, units, onward) {
      const move = books.returns.get(moveId);
      if (!move) return report('what comes back was asked for', moveId, 'an unknown return');
      if (move.state === 'void') return sometimes('void-return-finished');
      if (move.state === 'issued') report('a return is finished after it was debited', moveId, 'not debited');
      if (move.state !== 'debited') return;
      touch();
      mayMove(moveId, 'a return is finished');
      if (move.units !== units) report('what the gate gave comes back', moveId, `${units}, not ${move.units}`);
      move.state = 'finished';
      addTo(books.returned, move.quota, move.units);
      if (move.units > 0) books.freedTimes += 1;
      if (!onward) return;
      sometimes('return-went-on');
      if (onward.units > move.units) report('no more goes on than came back', moveId, `${onward.units} units`);
      parts.moveIssued(onward);
    },

    voidAll(segment) {
      for (const move of books.returns.values()) {
        if (!move.quota.startsWith(`${segment.name} `)) continue;
        if (move.state !== 'issued' && move.state !== 'debited') continue;
        sometimes(move.state === 'debited' && move.units > 0 ? 'return-void-after-debit' : 'return-void');
        move.state = 'void';
      }
    },

    received(units) {
      touch();
      mayMove(null, 'stock is received');
      books.totalUnits += units;
      books.freedTimes += 1;
    },

    withdrawn({ delivery, units }, result) {
      sometimes(`withdrawal-${result.kind}`);
      if (result.kind !== 'withdrawn') return;
      touch();
      mayMove(null, 'stock is withdrawn');
      if (withdrawn.has(delivery)) report('a delivery leaves once', delivery, `${units} units`);
      withdrawn.add(delivery);
      books.totalUnits -= units;
    },

    saleChanged({ state }) {
      if (books.saleState === 'settled' && state !== 'settled') report('a settled sale stays settled', null, state);
      if (books.saleState === state) return;
      touch();
      sometimes(`sale-${state}`);
      if (state === 'settled') judgeSettled(books, report);
      books.saleState = state;
    },
  };
}

/** At the moment that a sale is settled nothing is open, at any store. */
function judgeSettled(books: Books, report: Report): void {
  const broken = (subject: string | null, what: string) => report('a sale with nothing open is settled', subject, what);
  for (const { id, state } of books.claims.values()) {
    if (state === 'open' || state === 'returning' || state === 'ending') broken(id, `a claim is ${state}`);
  }
  for (const { orderId, state } of books.orders.values()) if (state === 'pending') broken(orderId, 'an unpaid order');
  for (const { id, state } of books.moves.values()) if (state === 'inTransit') broken(id, 'a move under way');
  for (const { id, state } of books.returns.values()) {
    if (state === 'issued' || state === 'debited') broken(id, `a return is ${state}`);
  }
  for (const { gate, epoch, name } of books.segments.values()) {
    // One that was lost since it confirmed the close sells nothing, and no epoch opens for it any more.
    if (gate && gate.epoch !== epoch) broken(null, `${name} is loaded with epoch ${gate.epoch}`);
    for (const [quota, units] of gate?.available ?? []) if (units > 0) broken(null, `${units} units in ${quota}`);
  }
  for (const payments of books.payments.values()) {
    for (const { notice, state } of payments) if (state === 'reclaiming') broken(notice.orderId, 'late money');
  }
}
