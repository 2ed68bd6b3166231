/** Likewise for gifts and points: each of these engines, ledgers or wallets breaks one rule of them. */
import { describe } from 'vitest';
import { type Parts, type Planted, plantedContract, withOrders } from './planted.contract.ts';

type Wallet = NonNullable<Parts['wallet']>;

const withWallet = (change: (wallet: Wallet) => Partial<Wallet>) => (parts: Parts) =>
  parts.wallet ? { ...parts, wallet: { ...parts.wallet, ...change(parts.wallet) } } : parts;

type Orders = Parts['ledger']['orders'];

const withFarOrders = (change: (orders: Orders) => Partial<Orders>) => (parts: Parts) => {
  const { ledger } = parts;
  return { ...parts, ledger: { ...ledger, orders: { ...ledger.orders, ...change(ledger.orders) } } };
};

const PLANTED: readonly Planted[] = [
  {
    rule: 'a charge whose answer was lost is asked for again under its key',
    ...{ scenario: 'exchange', withinSeeds: 20 },
    broken: ['an order is charged once'],
    parts: withWallet((wallet) => {
      const calls = new Map<string, number>();
      return {
        charge(call) {
          const before = calls.get(call.key) ?? 0;
          calls.set(call.key, before + 1);
          return wallet.charge(before === 0 ? call : { ...call, key: `${call.key} ${before}` });
        },
      };
    }),
  },
  {
    rule: 'who is refused by the wallet gives the units back',
    ...{ scenario: 'exchange', withinSeeds: 20 },
    broken: ['an order that ends writes one release'],
    plant: withOrders((orders) => ({
      closeCharge: async (orderId) => ({ ...(await orders.closeCharge(orderId)), release: null }),
    })),
  },
  {
    rule: 'what is due back is given back',
    ...{ scenario: 'exchange', withinSeeds: 20 },
    broken: ['points are the price of an order, or go back'],
    parts: withWallet(() => ({ refund: async () => ({ kind: 'refunded' }) })),
  },
  {
    rule: 'the charge of an order that ended is not forgotten',
    ...{ scenario: 'exchange', withinSeeds: 40 },
    broken: ['every charge ends'],
    parts: withFarOrders((orders) => ({
      listCharges: async (after, max) =>
        (await orders.listCharges(after, max)).filter(({ order }) => order.state === 'pending'),
    })),
  },
  {
    rule: 'an unanswered charge is no refused one',
    ...{ scenario: 'exchange', withinSeeds: 40 },
    broken: ['points are the price of an order, or go back'],
    parts: withWallet((wallet) => ({
      charge: (call) => wallet.charge(call).catch(() => ({ kind: 'refused', reason: 'not_allowed' })),
    })),
  },
  {
    rule: 'an order is paid only when its points were taken',
    ...{ scenario: 'exchange', withinSeeds: 20 },
    broken: ['a paid exchange has its price', 'points are the price of an order, or go back'],
    parts: withWallet((wallet) => ({
      charge: (call) => wallet.charge(call).then(() => ({ kind: 'charged' })),
    })),
  },
  {
    rule: 'a gift is paid as it is settled',
    ...{ scenario: 'gift-pack', withinSeeds: 20 },
    broken: ['what was parked takes effect'],
    plant: (stores) => {
      const { settlement } = stores.ledger;
      const settle: typeof settlement.settle = async (claims) => {
        const outcomes = await settlement.settle(claims);
        return outcomes.map((outcome) =>
          outcome.kind === 'settled' ? { ...outcome, order: { ...outcome.order, state: 'pending' as const } } : outcome,
        );
      };
      return { ...stores, ledger: { ...stores.ledger, settlement: { ...settlement, settle } } };
    },
  },
];

describe('the auditors find an engine out that forgets that', () => plantedContract(PLANTED));
