/** Ports that lie at the far end of a wire: what a process of a deployment has in its hands. */
import type { Order } from '../domain/order/order.ts';
import type { Gate } from '../ports/gate.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { OrderFeed } from '../ports/order-feed.ts';
import type { Outbox } from '../ports/outbox.ts';
import type { Quarantine } from '../ports/quarantine.ts';
import type { Queue } from '../ports/queue.ts';
import type { Wallet } from '../ports/wallet.ts';
import type { Webhooks } from '../ports/webhooks.ts';
import { nameOfClaim } from './books.ts';
import type { Process } from './process.ts';
import type { Wire } from './wire.ts';
import type { World } from './world.ts';

export function farGate(gate: Gate, wire: Wire): Gate {
  return {
    identity: (segment, limitGroup) => wire.call('identity', () => gate.identity(segment, limitGroup)),
    claim: (call, claims) =>
      wire.call(`claim ${claims.map((each) => `${each.orderId}x${each.units}`).join(' ')}`, () =>
        gate.claim(call, claims),
      ),
    markSettled: (call, claims) =>
      wire.call(`markSettled ${claims.map((each) => each.orderId).join(' ')}`, () => gate.markSettled(call, claims)),
    credit: (call, credit) =>
      wire.call(`credit ${credit.moveId} ${credit.units} in epoch ${credit.epoch}`, () => gate.credit(call, credit)),
    debit: (call, debit) =>
      wire.call(`debit ${debit.moveId} ${debit.units ?? 'all'} in epoch ${debit.epoch}`, () => gate.debit(call, debit)),
    release: (call, claim, epoch, destination) =>
      wire.call(`release ${nameOfClaim(claim.orderId, claim.origin)} in epoch ${epoch} to ${destination}`, () =>
        gate.release(call, claim, epoch, destination),
      ),
    setTerms: (call, terms, epoch) => wire.call(`setTerms ${terms.state}`, () => gate.setTerms(call, terms, epoch)),
    load: (call, load) =>
      wire.call(`load epoch ${load.epoch} available ${[...load.availableUnits.values()].join(' ')}`, () =>
        gate.load(call, load),
      ),
    strays: (segment, from, queued) => wire.call('strays', () => gate.strays(segment, from, queued)),
    requeue: (call, claims) =>
      wire.call(`requeue ${claims.map((each) => nameOfClaim(each.orderId, each.origin)).join(' ')}`, () =>
        gate.requeue(call, claims),
      ),
    read: (segment) => wire.call('read', () => gate.read(segment)),
  };
}

export interface HintFaults {
  /** The chance that a hint never arrives. */
  readonly lost: number;
}

export interface QueueEnd {
  readonly world: World;
  readonly process: Process;
  readonly wire: Wire;
  readonly hints: () => HintFaults;
}

const HINT_DELAY_MS = 3;

export function farQueue(queue: Queue, { world, process, wire, hints }: QueueEnd): Queue {
  const random = world.random.fork();
  return {
    read: (consumer, max, isWanted) => wire.call('queue.read', () => queue.read(consumer, max, isWanted)),
    remove: (claims) =>
      wire.call(`queue.remove ${claims.map((claim) => nameOfClaim(claim.orderId, claim.origin)).join(' ')}`, () =>
        queue.remove(claims),
      ),
    unread: () => wire.call('queue.unread', () => queue.unread()),
    forget: (unread) => wire.call('queue.forget', () => queue.forget(unread)),
    // No call: it looks at what it is given.
    readAgain: (unread) => queue.readAgain(unread),
    peek: (segment) => wire.call('queue.peek', () => queue.peek(segment)),
    depth: () => wire.call('queue.depth', () => queue.depth()),
    retire: (segments) => wire.call('queue.retire', () => queue.retire(segments)),
    onArrival(listener) {
      let isUnderWay = false;
      const stop = queue.onArrival(() => {
        // Hints that are under way together are one.
        if (isUnderWay || random.chance(hints().lost)) return;
        isUnderWay = true;
        process.clock.after(random.whole(0, HINT_DELAY_MS), () => {
          isUnderWay = false;
          listener();
        });
      });
      process.onDeath(stop);
      return stop;
    },
  };
}

export interface LedgerWires {
  readonly wire: Wire;
  readonly settlementWire: Wire;
}

export function farLedger(ledger: Ledger, { wire, settlementWire }: LedgerWires): Ledger {
  const { sales, orders, settlement, quarantine, inventoryCentre, journal, idempotency } = ledger;
  const { roster, outbox, webhooks, identity } = ledger;
  return {
    sales: {
      create: (draft, quotas) => wire.call('sales.create', () => sales.create(draft, quotas)),
      find: (saleId) => wire.call('sales.find', () => sales.find(saleId)),
      list: () => wire.call('sales.list', () => sales.list()),
      patch: (saleId, version, patch) => wire.call('sales.patch', () => sales.patch(saleId, version, patch)),
      settle: (saleId, gates) => wire.call('sales.settle', () => sales.settle(saleId, gates)),
      notice: (saleId, notice) => wire.call(`sales.notice ${notice.condition}`, () => sales.notice(saleId, notice)),
      operate: (saleId, operation) => wire.call(`sales.operate ${operation}`, () => sales.operate(saleId, operation)),
    },
    orders: {
      find: (orderId) => wire.call(`orders.find ${orderId}`, () => orders.find(orderId)),
      findMany: (orderIds) => wire.call('orders.findMany', () => orders.findMany(orderIds)),
      list: (filter, cursor, max) => wire.call('orders.list', () => orders.list(filter, cursor, max)),
      history: (orderId) => wire.call(`orders.history ${orderId}`, () => orders.history(orderId)),
      payments: (orderId) => wire.call(`orders.payments ${orderId}`, () => orders.payments(orderId)),
      notePayment: (notice) =>
        wire.call(`orders.notePayment ${notice.orderId} ${notice.outcome}`, () => orders.notePayment(notice)),
      cancel: (orderId, buyerId) => wire.call(`orders.cancel ${orderId}`, () => orders.cancel(orderId, buyerId)),
      fulfil: (orderId) => wire.call(`orders.fulfil ${orderId}`, () => orders.fulfil(orderId)),
      expireDue: (max) => wire.call('orders.expireDue', () => orders.expireDue(max)),
      listReclaiming: (max) => wire.call('orders.listReclaiming', () => orders.listReclaiming(max)),
      giveUpReclaim: (payment) =>
        wire.call(`orders.giveUpReclaim ${payment.orderId}`, () => orders.giveUpReclaim(payment)),
      listCharges: (after, max) => wire.call('orders.listCharges', () => orders.listCharges(after, max)),
      giveUpCharge: (orderId) => wire.call(`orders.giveUpCharge ${orderId}`, () => orders.giveUpCharge(orderId)),
      closeCharge: (orderId) => wire.call(`orders.closeCharge ${orderId}`, () => orders.closeCharge(orderId)),
    },
    settlement: {
      settle: (claims) =>
        settlementWire.call(`settle ${claims.map((claim) => nameOfClaim(claim.orderId, claim.origin)).join(' ')}`, () =>
          settlement.settle(claims),
        ),
      quarantine: (claim, reason) =>
        wire.call(`quarantine ${claim.orderId} ${reason}`, () => settlement.quarantine(claim, reason)),
    },
    inventoryCentre: {
      stock: (saleId, claims) => wire.call('stock', () => inventoryCentre.stock(saleId, claims)),
      receiveStock: (saleId, change) =>
        wire.call(`receiveStock ${change.id}`, () => inventoryCentre.receiveStock(saleId, change)),
      allot: (request) => wire.call(`allot ${request.moveId} ${request.units}`, () => inventoryCentre.allot(request)),
      openWithdrawal: (request) =>
        wire.call(`openWithdrawal ${request.id} ${request.units}`, () => inventoryCentre.openWithdrawal(request)),
      closeWithdrawal: (id) => wire.call(`closeWithdrawal ${id}`, () => inventoryCentre.closeWithdrawal(id)),
      issueReturn: (request) =>
        wire.call(`issueReturn ${request.moveId} ${request.units ?? 'all'}`, () =>
          inventoryCentre.issueReturn(request),
        ),
      finishReturn: (moveId, units) =>
        wire.call(`finishReturn ${moveId} ${units}`, () => inventoryCentre.finishReturn(moveId, units)),
      finishMove: (moveId) => wire.call(`finishMove ${moveId}`, () => inventoryCentre.finishMove(moveId)),
      finishRelease: (id) => wire.call(`finishRelease ${id}`, () => inventoryCentre.finishRelease(id)),
      openEpoch: (request) => {
        const { fromEpoch, cutThrough, queued } = request;
        const what = `openEpoch from ${fromEpoch} through ${cutThrough.epoch}-${cutThrough.seq} with ${queued.length} queued`;
        return wire.call(what, () => inventoryCentre.openEpoch(request));
      },
    },
    idempotency: {
      reserve: (call, bounds) => wire.call('idempotency.reserve', () => idempotency.reserve(call, bounds)),
      keep: (call, answer) => wire.call('idempotency.keep', () => idempotency.keep(call, answer)),
      letGo: (call) => wire.call('idempotency.letGo', () => idempotency.letGo(call)),
    },
    ...{ outbox: farOutbox(outbox, wire), webhooks: farWebhooks(webhooks, wire), roster: farRoster(roster, wire) },
    quarantine: farQuarantine(quarantine, wire),
    identity: { read: () => wire.call('identity.read', () => identity.read()) },
    journal: { read: (saleId, cursor, max) => wire.call('journal.read', () => journal.read(saleId, cursor, max)) },
  };
}

export function farWallet(wallet: Wallet, wire: Wire): Wallet {
  return {
    charge: (call) => wire.call(`charge ${call.key} of ${call.orderId}`, () => wallet.charge(call)),
    refund: (call) => wire.call(`refund ${call.chargeKey} of ${call.orderId}`, () => wallet.refund(call)),
  };
}

/** One feed for all processes; each of them may miss what was published. */
export interface FarFeed {
  at(process: Process): OrderFeed;
}

export function createFarFeed(world: World, hints: () => HintFaults): FarFeed {
  const random = world.random.fork();
  const listeners = new Map<(orders: readonly Order[]) => void, Process>();
  return {
    at: (process) => ({
      publish(orders) {
        if (orders.length === 0) return;
        for (const [listener, subscriber] of listeners) {
          if (random.chance(hints().lost)) continue;
          subscriber.clock.after(random.whole(0, HINT_DELAY_MS), () => listener(orders));
        }
      },
      subscribe(listener) {
        listeners.set(listener, process);
        const stop = () => {
          listeners.delete(listener);
        };
        process.onDeath(stop);
        return stop;
      },
    }),
  };
}

function farQuarantine(quarantine: Quarantine, wire: Wire): Quarantine {
  return {
    keep: (entries) => wire.call('quarantine.keep', () => quarantine.keep(entries)),
    list: (after, max) => wire.call('quarantine.list', () => quarantine.list(after, max)),
    find: (id) => wire.call(`quarantine.find ${id}`, () => quarantine.find(id)),
    replay: (id) => wire.call(`quarantine.replay ${id}`, () => quarantine.replay(id)),
    drop: (id) => wire.call(`quarantine.drop ${id}`, () => quarantine.drop(id)),
  };
}

function farRoster(roster: Ledger['roster'], wire: Wire): Ledger['roster'] {
  return {
    present: (worker) => wire.call('roster.present', () => roster.present(worker)),
    leave: (worker) => wire.call('roster.leave', () => roster.leave(worker)),
  };
}

function farOutbox(outbox: Outbox, wire: Wire): Outbox {
  return {
    handOut: () => wire.call('outbox.handOut', () => outbox.handOut()),
    claim: (claim) => wire.call(`outbox.claim ${claim.endpointId}`, () => outbox.claim(claim)),
    delivered: (ref) => wire.call(`outbox.delivered ${ref.id}`, () => outbox.delivered(ref)),
    failed: (ref, error, retryInMs) => wire.call(`outbox.failed ${ref.id}`, () => outbox.failed(ref, error, retryInMs)),
    putBack: (ref) => wire.call(`outbox.putBack ${ref.id}`, () => outbox.putBack(ref)),
    listDead: (endpointId, after, max) => wire.call('outbox.listDead', () => outbox.listDead(endpointId, after, max)),
    replay: (endpointId, id) => wire.call('outbox.replay', () => outbox.replay(endpointId, id)),
    depth: () => wire.call('outbox.depth', () => outbox.depth()),
  };
}

function farWebhooks(webhooks: Webhooks, wire: Wire): Webhooks {
  return {
    add: (endpoint) => wire.call(`webhooks.add ${endpoint.id}`, () => webhooks.add(endpoint)),
    find: (endpointId) => wire.call('webhooks.find', () => webhooks.find(endpointId)),
    list: () => wire.call('webhooks.list', () => webhooks.list()),
    read: () => wire.call('webhooks.read', () => webhooks.read()),
    remove: (endpointId) => wire.call(`webhooks.remove ${endpointId}`, () => webhooks.remove(endpointId)),
    rotate: (rotation) => wire.call(`webhooks.rotate ${rotation.endpointId}`, () => webhooks.rotate(rotation)),
  };
}
