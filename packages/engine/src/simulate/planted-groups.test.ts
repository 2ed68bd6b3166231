/** What the auditor of limit groups must find: gates and ledgers that count a buyer by the sale alone. */
import { describe } from 'vitest';
import type { SaleTerms } from '../domain/sale/sale.ts';
import { type Planted, plantedContract, withCentre, withGate } from './planted.contract.ts';
import { LIMIT_GROUP } from './sale-beside.ts';

const alone = ({ limitGroup: _, ...terms }: SaleTerms): SaleTerms => terms;
const grouped = (terms: SaleTerms): SaleTerms => ({ ...terms, limitGroup: LIMIT_GROUP });

const PLANTED: readonly Planted[] = [
  {
    rule: 'a gate counts what a buyer has in the other sales',
    ...{ scenario: 'group', withinSeeds: 20 },
    broken: ['a gate counts the whole group'],
    plant: withGate((gate) => ({
      load: (call, load) => gate.load(call, { ...load, terms: alone(load.terms) }),
      setTerms: (call, terms, epoch) => gate.setTerms(call, alone(terms), epoch),
    })),
  },
  {
    rule: 'the limit is said to be used up when it is',
    ...{ scenario: 'group', withinSeeds: 100 },
    broken: ['the limit of a group is used up when it is said'],
    plant: withGate((gate) => ({
      async claim(call, claims) {
        const outcomes = await gate.claim(call, claims);
        return outcomes.map((each) => (each.kind === 'dry' ? { kind: 'over_limit', liveOrderIds: [] } : each));
      },
    })),
  },
  {
    rule: 'the ledger holds a buyer to the limit over all sales',
    ...{ scenario: 'group', withinSeeds: 250 },
    broken: ['no buyer passes the limit of a group'],
    plant(stores) {
      const { sales } = stores.ledger;
      // Each sale by itself there; the gates are told of the group all the same.
      const create: typeof sales.create = ({ limitGroup: _, ...draft }, quotas) => sales.create(draft, quotas);
      const ledger = { ...stores.ledger, sales: { ...sales, create } };
      const withGroupAtGates = withGate((gate) => ({
        setTerms: (call, terms, epoch) => gate.setTerms(call, grouped(terms), epoch),
      }));
      const withGroupInLoads = withCentre((centre) => ({
        async openEpoch(request) {
          const opened = await centre.openEpoch(request);
          if (opened.kind !== 'opened') return opened;
          return { ...opened, snapshot: { ...opened.snapshot, terms: grouped(opened.snapshot.terms) } };
        },
      }));
      return withGroupInLoads(withGroupAtGates({ ...stores, ledger }));
    },
  },
];

describe('the auditor of limit groups finds an engine that breaks this rule:', () => {
  plantedContract(PLANTED);
});
