/** Likewise for what becomes of an order after settlement: each of these ledgers or engines breaks one rule of it. */
import { describe } from 'vitest';
import type { Release } from '../domain/ledger/release.ts';
import { claimId } from '../domain/order/claim.ts';
import type { Order } from '../domain/order/order.ts';
import type { PaymentNotice } from '../domain/order/payment.ts';
import type { Stores } from './gate-server.ts';
import { type Parts, type Planted, plantedContract, withOrders } from './planted.contract.ts';

function releaseOf(order: Order): Release {
  return { ...order, id: claimId(order), epoch: order.origin.epoch, destination: 'quota' };
}

/** The units of refunded orders are given to the gate, and then once more. */
function refundTwice(stores: Stores): Stores {
  const { orders } = stores.ledger;
  const refunded = new Set<string>();
  return {
    ...withOrders(() => ({
      async notePayment(notice) {
        const result = await orders.notePayment(notice);
        if (notice.outcome === 'refunded' && result.release) refunded.add(result.release.id);
        return result;
      },
    }))(stores),
    gate: {
      ...stores.gate,
      async release(call, claim, epoch, destination) {
        const answer = await stores.gate.release(call, claim, epoch, destination);
        const { units, origin } = claim;
        const again = { moveId: `again ${claim.orderId}`, epoch, channel: origin.channel, units };
        if (answer === 'released' && refunded.has(claimId(claim))) await stores.gate.credit(call, again);
        return answer;
      },
    },
  };
}

/** Late money makes its order live again by a claim that no gate has made. */
function reinstate(parts: Parts): Parts {
  const { orders, settlement } = parts.ledger;
  const notePayment: typeof orders.notePayment = async (notice) => {
    const result = await orders.notePayment(notice);
    if (result.kind !== 'taken' || result.payment.state !== 'reclaiming' || !result.order) return result;
    const { origin } = result.order;
    await settlement.settle([{ ...result.order, origin: { ...origin, seq: origin.seq + 1_000 } }]);
    return result;
  };
  return { ...parts, ledger: { ...parts.ledger, orders: { ...orders, notePayment } } };
}

/** Late money is sent back as soon as the sweeper meets it. */
function giveUpAtOnce(parts: Parts): Parts {
  const { orders } = parts.ledger;
  const listReclaiming: typeof orders.listReclaiming = async (max) => {
    for (const { payment } of await orders.listReclaiming(max)) await orders.giveUpReclaim(payment);
    return [];
  };
  return { ...parts, ledger: { ...parts.ledger, orders: { ...orders, listReclaiming } } };
}

/** What comes before its order is taken notice of, and never looked at again. */
const forgetParked = withOrders((orders) => {
  const forgotten = new Set<string>();
  const nameOf = ({ reference, outcome }: PaymentNotice) => `${reference} ${outcome}`;
  return {
    async notePayment(notice) {
      const order = await orders.find(notice.orderId);
      const isForgotten = forgotten.has(nameOf(notice));
      if (!isForgotten && (order || notice.outcome !== 'paid')) return orders.notePayment(notice);
      forgotten.add(nameOf(notice));
      const kind = isForgotten ? ('repeated' as const) : ('taken' as const);
      return { kind, payment: { ...notice, state: 'parked' }, order, release: null };
    },
  };
});

const PLANTED: readonly Planted[] = [
  {
    rule: 'one end writes one release',
    ...{ scenario: 'order-life', withinSeeds: 20 },
    broken: ['an order that ends writes one release'],
    plant: withOrders((orders) => ({
      async expireDue(max) {
        const ended = await orders.expireDue(max);
        return { ...ended, releases: ended.releases.flatMap((each) => [each, { ...each, id: `${each.id}again` }]) };
      },
    })),
  },
  {
    rule: 'an order that expires writes a release (P18)',
    ...{ scenario: 'order-life', withinSeeds: 20 },
    broken: ['an order that ends writes one release'],
    plant: withOrders((orders) => ({
      expireDue: async (max) => ({ ...(await orders.expireDue(max)), releases: [] }),
    })),
  },
  {
    rule: 'what is freed is delivered to the gate',
    ...{ scenario: 'order-life', withinSeeds: 20 },
    broken: ['every claim ends', 'every release arrives', 'every buyer gets an answer'],
    plant: (stores) => ({ ...stores, gate: { ...stores.gate, release: async () => 'unknown_claim' } }),
  },
  {
    rule: 'late money claims at the gate (P16)',
    ...{ scenario: 'order-life', withinSeeds: 20 },
    broken: ['what is settled was claimed'],
    parts: reinstate,
  },
  {
    rule: 'a paid order does not expire',
    ...{ scenario: 'order-life', withinSeeds: 20 },
    broken: ['only an unpaid order expires'],
    plant: withOrders((orders) => {
      const paid = new Map<string, Order>();
      return {
        async notePayment(notice) {
          const result = await orders.notePayment(notice);
          const order = result.kind === 'taken' ? result.order : null;
          if (order?.state === 'paid') paid.set(order.orderId, order);
          return result;
        },
        async expireDue(max) {
          const ended = await orders.expireDue(max);
          const more = [...paid.values()];
          paid.clear();
          return {
            orders: [...ended.orders, ...more.map((order) => ({ ...order, state: 'expired' as const }))],
            releases: [...ended.releases, ...more.map(releaseOf)],
          };
        },
      };
    }),
  },
  {
    rule: 'an unpaid order expires',
    ...{ scenario: 'order-life', withinSeeds: 20 },
    broken: ['every unpaid order ends'],
    plant: withOrders(() => ({ expireDue: async () => ({ orders: [], releases: [] }) })),
  },
  {
    rule: 'money that came early is applied at settlement',
    ...{ scenario: 'order-life', withinSeeds: 40 },
    broken: ['what was parked takes effect'],
    plant: forgetParked,
  },
  {
    rule: 'a cancel that came early is applied at settlement',
    ...{ scenario: 'order-life', fromSeed: 80, withinSeeds: 120 },
    broken: ['what was parked takes effect'],
    plant: withOrders((orders) => ({
      async cancel(orderId, buyerId) {
        const isKnown = (await orders.find(orderId)) !== null;
        return isKnown ? orders.cancel(orderId, buyerId) : { kind: 'parked', release: null };
      },
    })),
  },
  {
    rule: 'of two late payments one looks for units',
    ...{ scenario: 'order-life', withinSeeds: 40 },
    broken: ['late money waits for an ended order'],
    plant: withOrders((orders) => ({
      async notePayment(notice) {
        const result = await orders.notePayment(notice);
        if (result.kind !== 'taken' && result.kind !== 'repeated') return result;
        const isSecond = result.payment.state === 'refund_due' && result.order?.state === 'expired';
        return isSecond ? { ...result, payment: { ...result.payment, state: 'reclaiming' } } : result;
      },
    })),
  },
  {
    rule: 'late money is driven until it has its units or is due back',
    ...{ scenario: 'order-life', fromSeed: 25, withinSeeds: 160 },
    broken: ['no money stays where it waits'],
    plant: withOrders(() => ({ listReclaiming: async () => [] })),
  },
  {
    rule: 'late money is given up when the gate has no units, not before',
    ...{ scenario: 'order-life', withinSeeds: 40 },
    broken: ['late money is given up when the gate has no units'],
    parts: giveUpAtOnce,
  },
  {
    rule: 'a refund frees its units once',
    ...{ scenario: 'order-life', withinSeeds: 40 },
    broken: ['the gate has what moved there'],
    plant: refundTwice,
  },
  {
    rule: 'a notice that is said again changes nothing',
    ...{ scenario: 'order-life', withinSeeds: 20 },
    broken: ['a notice is taken once', 'a notice is never forgotten'],
    plant: withOrders((orders) => {
      let notices = 0;
      return {
        notePayment(notice) {
          notices += 1;
          return orders.notePayment({ ...notice, reference: `${notice.reference} ${notices}` });
        },
      };
    }),
  },
];

describe('the auditors find an engine out that forgets that', () => plantedContract(PLANTED));
