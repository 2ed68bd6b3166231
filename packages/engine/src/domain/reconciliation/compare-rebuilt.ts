/**
 * Holds every counter, order and buyer of the ledger to what the journal alone says they must be: every unit's move since the
 * sale was made, added up. What the journal does not name (whose an order is, and its state) is taken from the order's events,
 * which are written in the same transaction and never changed.
 */
import { type Quota, type QuotaKey, quotaName, unorderedUnits } from '../inventory/quota.ts';
import type { Account } from '../ledger/entry.ts';
import type { AccountBalance } from './compare-books.ts';

/** What one sale has written down, beside what is rebuilt for it. */
export interface RebuiltSale {
  readonly saleId: string;
  readonly totalUnits: number;
  readonly freeUnits: number;
  readonly allottedUnits: number;
  readonly quotas: readonly Quota[];
  /** Of open moves and of open releases to a quota. */
  readonly openUnits: readonly { readonly quota: QuotaKey; readonly units: number }[];
  readonly journal: readonly AccountBalance[];
  /** Orders whose row has other units, in a place or a quota, than the journal has moved; a few of them, when there are many. */
  readonly wrongOrders: readonly RebuiltOrder[];
  /** Orders whose row is not what their last event says; likewise. */
  readonly wrongEvents: readonly UntoldOrder[];
  /** Buyers whose counter is not what the journal left with their orders; likewise. */
  readonly wrongBuyers: readonly RebuiltBuyer[];
}

export interface RebuiltOrder {
  readonly orderId: string;
  readonly quota: QuotaKey;
  readonly recorded: OrderPlaces;
  readonly rebuilt: OrderPlaces;
}

export interface OrderPlaces {
  readonly held: number;
  readonly sold: number;
}

export interface UntoldOrder {
  readonly orderId: string;
  readonly recorded: string;
  readonly told: string;
}

export interface RebuiltBuyer {
  readonly buyerId: string;
  readonly recordedUnits: number;
  readonly rebuiltUnits: number;
}

export interface RebuildDifference {
  readonly counter: string;
  readonly against: 'journal' | 'events';
  readonly recorded: number | string;
  readonly counted: number | string;
}

export function compareRebuilt(sale: RebuiltSale): readonly RebuildDifference[] {
  const counters = [...countersOfSale(sale), ...sale.quotas.flatMap((quota) => countersOfQuota(sale, quota))];
  return [
    ...counters.filter(({ recorded, counted }) => recorded !== counted),
    ...strayQuotas(sale),
    ...sale.wrongOrders.flatMap(differencesOfOrder),
    ...sale.wrongEvents.map(({ orderId, recorded, told }) => ({
      ...{ counter: `order ${orderId}`, against: 'events' as const, recorded, counted: told },
    })),
    ...sale.wrongBuyers.map(({ buyerId, recordedUnits, rebuiltUnits }) =>
      against(`buyer ${buyerId}`, recordedUnits, rebuiltUnits),
    ),
  ];
}

/** The allotted is what left the centre and has not come back. */
function countersOfSale({ totalUnits, freeUnits, allottedUnits, journal }: RebuiltSale): readonly RebuildDifference[] {
  const [outside, free] = [sumOf(journal, 'outside'), sumOf(journal, 'free')];
  return [
    against('sale total', totalUnits, -outside),
    against('sale free', freeUnits, free),
    against('sale allotted', allottedUnits, -outside - free),
  ];
}

function countersOfQuota({ journal, openUnits }: RebuiltSale, quota: Quota): readonly RebuildDifference[] {
  const own = journal.filter((balance) => isOf(balance, quota));
  const open = openUnits.filter((units) => isOf(units, quota)).reduce((sum, { units }) => sum + units, 0);
  const name = `quota ${shortName(quota)}`;
  return [
    against(`${name} allotted`, quota.allottedUnits, -sumOf(own, 'free')),
    against(`${name} held`, quota.heldUnits, sumOf(own, 'held')),
    against(`${name} sold`, quota.soldUnits, sumOf(own, 'sold')),
    against(`${name} quarantined`, quota.quarantinedUnits, sumOf(own, 'quarantined')),
    against(`${name} in transit`, open, sumOf(own, 'inTransit')),
    against(`${name} at the gate`, unorderedUnits(quota) - open, sumOf(own, 'atGate')),
  ];
}

/** Units that the journal has in a quota of which there is no row. */
function strayQuotas({ quotas, journal }: RebuiltSale): readonly RebuildDifference[] {
  const known = new Set(quotas.map(quotaName));
  return journal
    .filter(({ quota, units }) => quota !== null && !known.has(quotaName(quota)) && units !== 0)
    .map(({ quota, account, units }) => against(`quota ${quota ? shortName(quota) : ''} ${account}`, 0, units));
}

function differencesOfOrder({ orderId, quota, recorded, rebuilt }: RebuiltOrder): readonly RebuildDifference[] {
  return (['held', 'sold'] as const)
    .map((place) => against(`order ${orderId} ${place} in ${shortName(quota)}`, recorded[place], rebuilt[place]))
    .filter((difference) => difference.recorded !== difference.counted);
}

function against(counter: string, recorded: number, counted: number): RebuildDifference {
  // The negative of nothing is nothing.
  return { counter, against: 'journal', recorded, counted: counted + 0 };
}

function isOf(item: { readonly quota: QuotaKey | null }, quota: Quota): boolean {
  return item.quota !== null && quotaName(item.quota) === quotaName(quota);
}

function sumOf(balances: readonly AccountBalance[], account: Account): number {
  return balances.filter((balance) => balance.account === account).reduce((sum, { units }) => sum + units, 0);
}

function shortName({ region, segment, channel }: QuotaKey): string {
  return `${region}/${segment}/${channel}`;
}
