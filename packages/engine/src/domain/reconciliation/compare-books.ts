/**
 * Holds the ledger's counters to what they count. The same units are written down three times: as counters of quotas and
 * sales, as the orders themselves, and as entries of the journal. The schema holds the counters to each other; that they say
 * what orders and journal say is for this comparison.
 */
import { type Quota, type QuotaKey, quotaName } from '../inventory/quota.ts';
import type { Account } from '../ledger/entry.ts';

/** What the ledger has written down of one sale. */
export interface SaleBooks {
  readonly saleId: string;
  readonly totalUnits: number;
  readonly freeUnits: number;
  readonly allottedUnits: number;
  readonly quotas: readonly Quota[];
  /** Units of orders that have any, by quota and place. */
  readonly orders: readonly OrderUnits[];
  /** Of the messages that were set aside. */
  readonly quarantinedUnits: number;
  readonly journal: readonly AccountBalance[];
  /** Buyers whose counter is not the sum of their live orders; a few of them, when there are many. */
  readonly wrongBuyers: readonly BuyerUnits[];
}

export interface OrderUnits {
  readonly quota: QuotaKey;
  readonly place: 'held' | 'sold';
  readonly units: number;
}

export interface AccountBalance {
  /** Null: the movement concerned the centre alone. */
  readonly quota: QuotaKey | null;
  readonly account: Account;
  readonly units: number;
}

export interface BuyerUnits {
  readonly buyerId: string;
  readonly recordedUnits: number;
  readonly orderedUnits: number;
}

/** A counter, and what it should say. */
export interface BookDifference {
  /** `quota home/0/main held`, `sale free`, `buyer ann`. */
  readonly counter: string;
  readonly against: 'orders' | 'journal' | 'quotas' | 'quarantine';
  readonly recorded: number;
  readonly counted: number;
}

export function compareBooks(books: SaleBooks): readonly BookDifference[] {
  return [
    ...differencesOfSale(books),
    ...books.quotas.flatMap((quota) => differencesOfQuota(books, quota)),
    ...lostOrders(books),
    ...books.wrongBuyers.map(({ buyerId, recordedUnits, orderedUnits }) => ({
      ...{ counter: `buyer ${buyerId}`, against: 'orders' as const },
      ...{ recorded: recordedUnits, counted: orderedUnits },
    })),
  ].filter(({ recorded, counted }) => recorded !== counted);
}

function differencesOfSale(books: SaleBooks): readonly BookDifference[] {
  const { totalUnits, freeUnits, allottedUnits, quarantinedUnits, quotas, journal } = books;
  const inJournal = (account: Account) => sum(journal.filter((entry) => entry.account === account));
  const quarantined = quotas.reduce((units, quota) => units + quota.quarantinedUnits, 0);
  const allotted = quotas.reduce((units, quota) => units + quota.allottedUnits, 0);
  return [
    { counter: 'sale total', against: 'journal', recorded: totalUnits, counted: -inJournal('outside') },
    { counter: 'sale free', against: 'journal', recorded: freeUnits, counted: inJournal('free') },
    { counter: 'sale allotted', against: 'quotas', recorded: allottedUnits, counted: allotted },
    { counter: 'sale quarantined', against: 'quarantine', recorded: quarantined, counted: quarantinedUnits },
  ];
}

function differencesOfQuota({ orders, journal }: SaleBooks, quota: Quota): readonly BookDifference[] {
  const name = quotaName(quota);
  const ofQuota = <Item extends { readonly quota: QuotaKey | null }>(items: readonly Item[]) =>
    items.filter((item) => item.quota !== null && quotaName(item.quota) === name);
  const inOrders = (place: OrderUnits['place']) => sum(ofQuota(orders).filter((item) => item.place === place));
  const inJournal = (account: Account) => sum(ofQuota(journal).filter((item) => item.account === account));
  const counter = (place: string) => `quota ${shortName(quota)} ${place}`;
  return [
    { counter: counter('held'), against: 'orders', recorded: quota.heldUnits, counted: inOrders('held') },
    { counter: counter('held'), against: 'journal', recorded: quota.heldUnits, counted: inJournal('held') },
    { counter: counter('sold'), against: 'orders', recorded: quota.soldUnits, counted: inOrders('sold') },
    { counter: counter('sold'), against: 'journal', recorded: quota.soldUnits, counted: inJournal('sold') },
    {
      ...{ counter: counter('quarantined'), against: 'journal' },
      ...{ recorded: quota.quarantinedUnits, counted: inJournal('quarantined') },
    },
  ];
}

/** Orders of a quota that the sale does not have are counted by nobody. */
function lostOrders({ orders, quotas }: SaleBooks): readonly BookDifference[] {
  const known = new Set(quotas.map(quotaName));
  return orders
    .filter(({ quota }) => !known.has(quotaName(quota)))
    .map(({ quota, place, units }) => ({
      ...{ counter: `quota ${shortName(quota)} ${place}`, against: 'orders' },
      ...{ recorded: 0, counted: units },
    }));
}

function shortName({ region, segment, channel }: QuotaKey): string {
  return `${region}/${segment}/${channel}`;
}

function sum(items: readonly { readonly units: number }[]): number {
  return items.reduce((total, { units }) => total + units, 0);
}
