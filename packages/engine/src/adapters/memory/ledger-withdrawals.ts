/** Stock that leaves a sale, and moves back to its centre, in memory. */
import type { SaleId } from '../../domain/ids.ts';
import { invariant } from '../../domain/invariant.ts';
import { afterAllot, afterReturn, decideAllot } from '../../domain/inventory/centre.ts';
import {
  decideCloseWithdrawal,
  decideWithdrawal,
  type Withdrawal,
  type WithdrawalAnswer,
  type WithdrawalRequest,
} from '../../domain/inventory/decide-withdrawal.ts';
import { type Move, onwardMoveId, onwardQuota, type ReturnMove } from '../../domain/inventory/move.ts';
import { quotaName, segmentName, unorderedUnits } from '../../domain/inventory/quota.ts';
import { moveIssued, returnFinished, stockWithdrawn } from '../../domain/ledger/entry.ts';
import type { InventoryCentre } from '../../ports/inventory-centre.ts';
import { commit } from './ledger-commit.ts';
import { checkFigure } from './ledger-laws.ts';
import { deliveryKey, type Rows } from './ledger-rows.ts';

type Methods = Pick<InventoryCentre, 'openWithdrawal' | 'closeWithdrawal' | 'issueReturn' | 'finishReturn'>;

export function createMemoryWithdrawals(rows: Rows): Methods {
  return {
    async openWithdrawal(request) {
      const row = rows.sales.get(request.saleId);
      if (!row) return { kind: 'absent' };
      const quotas = [...rows.quotas.values()].filter((quota) => quota.saleId === request.saleId);
      const known = knownWithdrawal(rows, request);
      const view = {
        ...{ state: row.sale.state, centre: row.centre, known },
        unorderedUnits: quotas.reduce((units, quota) => units + unorderedUnits(quota), 0),
        receivedUnits: rows.stockDeliveries.get(deliveryKey(request.saleId, request.delivery)) ?? null,
      };
      const answer = decideWithdrawal(view, request);
      if (!known) applyAnswer(rows, request, answer);
      return answer;
    },

    async closeWithdrawal(id) {
      const withdrawal = rows.withdrawals.get(id);
      const row = withdrawal && rows.sales.get(withdrawal.saleId);
      if (!row) return { kind: 'absent' };
      const openReturns = [...rows.openReturns.values()].filter((move) => move.quota.saleId === withdrawal.saleId);
      const answer = decideCloseWithdrawal({ centre: row.centre, openReturns: openReturns.length }, withdrawal);
      if (withdrawal.state === 'open') applyAnswer(rows, withdrawal, answer);
      return answer;
    },

    async issueReturn({ moveId, quota: key, units, onwardTo = null }) {
      const earlier = rows.returns.get(moveId);
      if (earlier) return { kind: 'issued', move: earlier };
      const segment = rows.segments.get(segmentName(key));
      const row = rows.sales.get(key.saleId);
      invariant(segment && row && rows.quotas.has(quotaName(key)), `quota ${quotaName(key)} is in the ledger`);
      if (row.sale.state === 'settled') return { kind: 'refused', reason: 'sale_settled' };
      const { saleId, region, channel } = key;
      const quota = { saleId, region, segment: key.segment, channel };
      const move: ReturnMove = { id: moveId, quota, units, epoch: segment.epoch, onwardTo };
      commit(rows, { newReturns: [move] });
      return { kind: 'issued', move };
    },

    async finishReturn(moveId, units) {
      const move = rows.openReturns.get(moveId);
      if (!move) return rows.moves.get(onwardMoveId(moveId)) ?? null;
      checkFigure(move, units);
      const row = rows.sales.get(move.quota.saleId);
      const quota = rows.quotas.get(quotaName(move.quota));
      invariant(row && quota, `quota ${quotaName(move.quota)} is in the ledger`);
      const generation = row.generation + (units > 0 ? 1 : 0);
      commit(rows, {
        sales: [{ ...row, generation, centre: afterReturn(row.centre, units) }],
        quotas: [{ ...quota, allottedUnits: quota.allottedUnits - units }],
        closedReturns: [move],
        entries: returnFinished(move, units),
      });
      return sendOn(rows, move, units);
    },
  };
}

/** In the same turn: what has come back for another quota goes out to it. */
function sendOn(rows: Rows, back: ReturnMove, units: number): Move | null {
  const key = onwardQuota(back);
  const row = rows.sales.get(back.quota.saleId);
  if (!key || !row || units === 0) return null;
  const quota = rows.quotas.get(quotaName(key));
  const segment = rows.segments.get(segmentName(key));
  invariant(quota && segment, `quota ${quotaName(key)} is in the ledger`);
  const isWithdrawing = openWithdrawalsOf(rows, key.saleId).length > 0;
  const decision = decideAllot({ centre: row.centre, state: row.sale.state, isWithdrawing }, units);
  if (decision.kind === 'refused') return null;
  const move: Move = { id: onwardMoveId(back.id), quota: key, units: decision.units, epoch: segment.epoch };
  commit(rows, {
    sales: [{ ...row, centre: afterAllot(row.centre, move.units) }],
    quotas: [{ ...quota, allottedUnits: quota.allottedUnits + move.units }],
    newMoves: [move],
    entries: [moveIssued(move)],
  });
  return move;
}

export function openWithdrawalsOf(rows: Rows, saleId: SaleId): readonly Withdrawal[] {
  return [...rows.withdrawals.values()].filter((each) => each.saleId === saleId && each.state === 'open');
}

function knownWithdrawal(rows: Rows, { id, saleId, delivery }: WithdrawalRequest): Withdrawal | null {
  const own = rows.withdrawals.get(id);
  if (own) return own;
  const all = [...rows.withdrawals.values()];
  return all.find((each) => each.saleId === saleId && each.delivery === delivery && each.state !== 'refused') ?? null;
}

/** Writes the attempt as the answer leaves it, and with it what it took. */
function applyAnswer(rows: Rows, request: WithdrawalRequest, answer: WithdrawalAnswer): void {
  const { id, saleId, delivery, units } = request;
  const row = rows.sales.get(saleId);
  invariant(row, `sale ${saleId} was read`);
  if (answer.kind !== 'withdrawn' && answer.kind !== 'refused' && answer.kind !== 'open') return;
  const withdrawals: readonly Withdrawal[] = [{ id, saleId, delivery, units, state: answer.kind }];
  if (answer.kind !== 'withdrawn') {
    commit(rows, { withdrawals });
    return;
  }
  const { centre } = answer;
  commit(rows, {
    withdrawals,
    sales: [{ ...row, centre, sale: { ...row.sale, totalUnits: centre.totalUnits } }],
    entries: [stockWithdrawn(saleId, units, delivery)],
  });
}
