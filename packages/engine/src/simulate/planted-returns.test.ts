/** Likewise for units that go back, stock that leaves and sales that end: each of these stores breaks one rule of it. */
import { describe } from 'vitest';
import type { Stores } from './gate-server.ts';
import { type Planted, plantedContract, withCentre, withGate, withOrders } from './planted.contract.ts';

/** What a gate had debited before it was lost is in the next load, and becomes free as well. */
function finishTheVoid(stores: Stores): Stores {
  const debited = new Map<string, number>();
  const { gate } = stores;
  const observed = withGate(() => ({
    async debit(call, debit) {
      const answer = await gate.debit(call, debit);
      if (typeof answer === 'object') debited.set(debit.moveId, answer.units);
      return answer;
    },
  }))(stores);
  return withCentre((centre) => ({
    async openEpoch(request) {
      const open = (await centre.stock(request.segment.saleId, []))?.openReturns ?? [];
      const result = await centre.openEpoch(request);
      for (const { id, quota } of open) {
        const units = debited.get(id) ?? 0;
        if (result.kind !== 'opened' || units === 0) continue;
        await centre.issueReturn({ moveId: `${id}late`, quota, units: null });
        await centre.finishReturn(`${id}late`, units);
      }
      return result;
    },
  }))(observed);
}

const PLANTED: readonly Planted[] = [
  {
    rule: 'a return is debited once, whoever asks again (P3)',
    ...{ scenario: 'ending', withinSeeds: 150 },
    broken: ['a return is debited once', 'nothing moves in a settled sale'],
    plant: withGate((gate) => ({
      async debit(call, debit) {
        const answer = await gate.debit(call, debit);
        const isAgain = typeof answer === 'object' && answer.kind === 'repeated';
        return isAgain ? gate.debit(call, { ...debit, moveId: `${debit.moveId} again` }) : answer;
      },
    })),
  },
  {
    rule: 'the figure of a debit is remembered',
    ...{ scenario: 'ending', withinSeeds: 150 },
    broken: ['a debit is told as it was', 'what the gate gave comes back'],
    plant: withGate((gate) => ({
      async debit(call, debit) {
        const answer = await gate.debit(call, debit);
        return typeof answer === 'object' && answer.kind === 'repeated' ? { ...answer, units: 0 } : answer;
      },
    })),
  },
  {
    rule: 'a return whose gate was lost is void',
    ...{ scenario: 'ending', fromSeed: 100, withinSeeds: 300 },
    broken: ['free is what is not allotted', 'every unit is in exactly one place'],
    plant: finishTheVoid,
  },
  {
    rule: 'the gate gets no units of a release to the centre (P12)',
    ...{ scenario: 'ending', withinSeeds: 40 },
    broken: ['the gate has what moved there'],
    plant: withGate((gate) => ({ release: (call, claim, epoch) => gate.release(call, claim, epoch, 'quota') })),
  },
  {
    rule: 'what a closed sale frees is fixed to go to the centre (P12)',
    ...{ scenario: 'ending', withinSeeds: 40 },
    broken: ['what is freed goes where its sale says'],
    plant: withOrders((orders) => ({
      async expireDue(max) {
        const ended = await orders.expireDue(max);
        return { ...ended, releases: ended.releases.map((each) => ({ ...each, destination: 'quota' as const })) };
      },
    })),
  },
  {
    rule: 'a return that is finished raises the generation (P13)',
    ...{ scenario: 'ending', withinSeeds: 20 },
    broken: ['the generation rises when units become free'],
    plant: withCentre((centre) => ({
      async stock(saleId, claims) {
        const stock = await centre.stock(saleId, claims);
        return stock && { ...stock, generation: 0 };
      },
    })),
  },
  {
    rule: 'what is unsold comes back when a sale is closed',
    ...{ scenario: 'ending', withinSeeds: 20 },
    broken: ['units are where their sale needs them'],
    plant: withCentre(() => ({ issueReturn: async () => ({ kind: 'refused', reason: 'sale_settled' }) })),
  },
  {
    rule: 'stock is withdrawn once for each delivery',
    ...{ scenario: 'ending', withinSeeds: 150 },
    broken: ['a delivery leaves once'],
    plant: withCentre((centre) => ({
      openWithdrawal: (request) => centre.openWithdrawal({ ...request, delivery: request.id }),
    })),
  },
  {
    rule: 'a sale is settled when nothing in it is open (P17)',
    ...{ scenario: 'ending', withinSeeds: 40 },
    broken: ['a sale with nothing open is settled'],
    plant(stores) {
      const { sales } = stores.ledger;
      const settle: typeof sales.settle = async (saleId, gates) => {
        const result = await sales.settle(saleId, gates);
        return result.kind === 'still_open' ? { kind: 'changed', sale: { ...result.sale, state: 'settled' } } : result;
      };
      return { ...stores, ledger: { ...stores.ledger, sales: { ...sales, settle } } };
    },
  },
  {
    rule: 'nothing moves in a settled sale (P17)',
    ...{ scenario: 'ending', withinSeeds: 40 },
    broken: ['nothing moves in a settled sale', 'only an order that ends writes a release'],
    plant: withOrders((orders, { ledger }) => ({
      async notePayment(notice) {
        const result = await orders.notePayment(notice);
        const order = result.kind === 'taken' ? result.order : null;
        const sale = order && (await ledger.sales.find(order.saleId));
        if (order?.state !== 'refunded' || sale?.state !== 'settled') return result;
        return { ...result, release: { ...order, id: order.orderId, epoch: order.origin.epoch, destination: 'quota' } };
      },
    })),
  },
];

describe('the auditors find stores out that forget that', () => plantedContract(PLANTED));
