/**
 * The stores as the auditor watches them: on the server's side of every wire, so that what was done is seen even when its
 * answer is lost.
 */

import type { WithdrawalRequest } from '../domain/inventory/decide-withdrawal.ts';
import type { Gate } from '../ports/gate.ts';
import type { InventoryCentre } from '../ports/inventory-centre.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { Queue } from '../ports/queue.ts';
import type { Wallet } from '../ports/wallet.ts';
import type { AnswerAuditor } from './answer-auditor.ts';
import type { Auditor } from './auditor.ts';
import { nameOfClaim } from './books.ts';
import type { GroupAuditor } from './group-auditor.ts';
import { SALE_BESIDE_ID } from './plan.ts';

export interface Watch {
  readonly auditor: Auditor;
  readonly answers: AnswerAuditor;
  /** Null: the sale shares its limit with no other. */
  readonly group: GroupAuditor | null;
  readonly sometimes: (mark: string) => void;
}

type Returns = 'receiveStock' | 'openWithdrawal' | 'closeWithdrawal' | 'issueReturn' | 'finishReturn';

/** What brings units back, and stock that comes and leaves. */
function observedReturns(centre: InventoryCentre, { returns }: Auditor): Pick<InventoryCentre, Returns> {
  const requests = new Map<string, WithdrawalRequest>();
  return {
    async receiveStock(saleId, change) {
      const result = await centre.receiveStock(saleId, change);
      if (result.kind === 'received') returns.received(change.units);
      return result;
    },
    async openWithdrawal(request) {
      requests.set(request.id, request);
      const result = await centre.openWithdrawal(request);
      returns.withdrawn(request, result);
      return result;
    },
    async closeWithdrawal(id) {
      const result = await centre.closeWithdrawal(id);
      const request = requests.get(id);
      if (request) returns.withdrawn(request, result);
      return result;
    },
    async issueReturn(request) {
      const result = await centre.issueReturn(request);
      if (result.kind === 'issued') returns.issued(request);
      return result;
    },
    async finishReturn(moveId, units) {
      const onward = await centre.finishReturn(moveId, units);
      returns.finished(moveId, units, onward);
      return onward;
    },
  };
}

/** `from`: the process at the other end of the wire. */
export function observedGate(gate: Gate, { auditor, answers, group, sometimes }: Watch, from: string): Gate {
  function answered<Answer>(answer: Answer): Answer {
    if (answer === 'late') sometimes('late-call');
    return answer;
  }
  return {
    identity: (segment, limitGroup) => gate.identity(segment, limitGroup),
    async claim(call, claims) {
      const outcomes = await gate.claim(call, claims);
      if (outcomes.some((outcome) => outcome.kind === 'late')) sometimes('late-call');
      auditor.claimed(call, claims, outcomes);
      group?.claimed(call.segment.saleId, claims, outcomes);
      for (const [at, outcome] of outcomes.entries()) {
        const isBought =
          outcome.kind === 'claimed' && !claims[at]?.isForLateMoney && call.segment.saleId !== SALE_BESIDE_ID;
        if (isBought) answers.claimTaken(from, outcome.claim.orderId);
      }
      return outcomes;
    },
    markSettled: (call, claims) => gate.markSettled(call, claims),
    strays: (segment, from, queued) => gate.strays(segment, from, queued),
    requeue: (call, claims) => gate.requeue(call, claims),
    async credit(call, credit) {
      const answer = answered(await gate.credit(call, credit));
      if (answer === 'credited') auditor.credited(call, credit);
      if (answer === 'repeated') sometimes('credit-repeated');
      return answer;
    },
    async debit(call, debit) {
      const answer = answered(await gate.debit(call, debit));
      if (typeof answer === 'string') return answer;
      if (answer.kind === 'debited') auditor.returns.debited(call, debit, answer.units);
      else auditor.returns.toldAgain(debit, answer.units);
      return answer;
    },
    async release(call, claim, epoch, destination) {
      const answer = answered(await gate.release(call, claim, epoch, destination));
      if (answer === 'released') auditor.released(call, claim, destination);
      if (answer === 'released') group?.released(claim);
      if (answer === 'repeated') sometimes('release-repeated');
      return answer;
    },
    async setTerms(call, terms, epoch) {
      return answered(await gate.setTerms(call, terms, epoch));
    },
    async load(call, load) {
      const answer = answered(await gate.load(call, load));
      if (answer === 'loaded') auditor.loaded(call, load);
      else sometimes('load-refused');
      return answer;
    },
    read: (segment) => gate.read(segment),
  };
}

export function observedQueue(queue: Queue, { auditor, sometimes }: Watch): Queue {
  const readers = new Map<string, string>();
  return {
    ...queue,
    async read(consumer, max, isWanted) {
      const entries = await queue.read(consumer, max, isWanted);
      for (const { claim } of entries) {
        const id = nameOfClaim(claim.orderId, claim.origin);
        const before = readers.get(id);
        if (before !== undefined) sometimes(before === consumer ? 'redelivered' : 'worker-took-over');
        readers.set(id, consumer);
      }
      return entries;
    },
    async remove(claims) {
      await queue.remove(claims);
      auditor.entriesRemoved(claims);
    },
  };
}

export function observedLedger(ledger: Ledger, { auditor, group, sometimes }: Watch): Ledger {
  const { sales, settlement, inventoryCentre, orders } = ledger;
  return {
    ...ledger,
    sales: {
      ...sales,
      async operate(saleId, operation) {
        const result = await sales.operate(saleId, operation);
        if (result.kind === 'changed') auditor.returns.saleChanged(result.sale);
        return result;
      },
      async settle(saleId, gates) {
        const result = await sales.settle(saleId, gates);
        if (result.kind === 'changed') auditor.returns.saleChanged(result.sale);
        if (result.kind === 'still_open') sometimes('settle-refused');
        return result;
      },
      async create(draft, quotas) {
        const result = await sales.create(draft, quotas);
        if (result.kind === 'created') auditor.saleCreated(draft, quotas);
        return result;
      },
    },
    orders: {
      ...orders,
      async notePayment(notice) {
        const result = await orders.notePayment(notice);
        auditor.orders.paymentNoted(notice, result);
        return result;
      },
      async cancel(orderId, buyerId) {
        const result = await orders.cancel(orderId, buyerId);
        auditor.orders.cancelAsked(orderId, buyerId, result);
        return result;
      },
      async expireDue(max) {
        const ended = await orders.expireDue(max);
        auditor.orders.expired(ended);
        return ended;
      },
      async giveUpReclaim(payment) {
        const order = await orders.giveUpReclaim(payment);
        auditor.orders.gaveUp(payment, order);
        return order;
      },
      async giveUpCharge(orderId) {
        const charge = await orders.giveUpCharge(orderId);
        auditor.wallet.gaveUp(orderId, charge);
        return charge;
      },
      async closeCharge(orderId) {
        const result = await orders.closeCharge(orderId);
        auditor.wallet.closed(orderId, result);
        return result;
      },
    },
    settlement: {
      async settle(claims) {
        const outcomes = await settlement.settle(claims);
        auditor.settled(claims, outcomes);
        group?.settled(outcomes);
        return outcomes;
      },
      async quarantine(claim, reason) {
        await settlement.quarantine(claim, reason);
        auditor.quarantined(claim, reason);
      },
    },
    inventoryCentre: {
      ...inventoryCentre,
      ...observedReturns(inventoryCentre, auditor),
      async allot(request) {
        const result = await inventoryCentre.allot(request);
        auditor.allotted(result);
        return result;
      },
      async finishMove(moveId) {
        await inventoryCentre.finishMove(moveId);
        auditor.moveFinished(moveId);
      },
      async finishRelease(releaseId) {
        await inventoryCentre.finishRelease(releaseId);
        auditor.releaseFinished(releaseId);
      },
      async openEpoch(request) {
        const result = await inventoryCentre.openEpoch(request);
        if (result.kind === 'opened') auditor.epochOpened(request);
        return result;
      },
    },
  };
}

export function observedWallet(wallet: Wallet, { auditor }: Watch): Wallet {
  return {
    async charge(call) {
      const answer = await wallet.charge(call);
      auditor.wallet.charged(call, answer);
      return answer;
    },
    async refund(call) {
      const answer = await wallet.refund(call);
      auditor.wallet.refunded(call, answer);
      return answer;
    },
  };
}
