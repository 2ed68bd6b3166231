/**
 * Whether a sale is settled: everything in it has ended and every unit is sold or back at the centre. Read and applied in
 * one transaction. Law (P17): after it nothing moves, so nothing may be under way that could, and every gate has said, at
 * the ledger's own epoch and on the server that is there, that it claims no more.
 */
import type { Centre } from '../inventory/centre.ts';
import { type Quota, type SegmentKey, segmentName } from '../inventory/quota.ts';
import type { Balance } from '../ledger/balance.ts';
import type { SegmentRecord } from '../ledger/epoch.ts';
import type { SaleState } from './sale.ts';

/** What was seen at gates and queue after the close. A gate that has confirmed it puts nothing into its queue any more. */
export interface GatesAtRest {
  /** Segments whose gate confirmed `closed`, and at which epoch: a newer one undoes it. */
  readonly confirmed: readonly (SegmentKey & { readonly epoch: number })[];
  readonly queuedClaims: number;
  /** Claims at gates that the ledger does not know. */
  readonly unsettledClaims: number;
}

/** What the ledger has at that moment. */
export interface SettleView {
  readonly state: SaleState;
  readonly centre: Centre;
  readonly quotas: readonly Quota[];
  readonly segments: readonly SegmentRecord[];
  readonly unpaidOrders: number;
  /** Payments that still look for units. */
  readonly latePayments: number;
  readonly openMoves: number;
  readonly openReturns: number;
  readonly openReleases: number;
  readonly openWithdrawals: number;
  /** Of all accounts, by the journal. */
  readonly balance: Balance;
}

/** What may keep a sale open, in the order in which it ends. */
const MATTERS = {
  unconfirmedGates: ['gate that has not confirmed the close', 'gates that have not confirmed the close'],
  queuedClaims: ['claim in the queue', 'claims in the queue'],
  unsettledClaims: ['claim that is not settled', 'claims that are not settled'],
  unpaidOrders: ['unpaid order', 'unpaid orders'],
  latePayments: ['late payment that looks for units', 'late payments that look for units'],
  openMoves: ['move under way', 'moves under way'],
  openReturns: ['return under way', 'returns under way'],
  openReleases: ['release under way', 'releases under way'],
  openWithdrawals: ['withdrawal under way', 'withdrawals under way'],
  quarantinedUnits: ['unit in quarantine', 'units in quarantine'],
  unreturnedUnits: ['unit that has not come back from a gate', 'units that have not come back from gates'],
  unbalancedUnits: ['unit that the journal tells otherwise', 'units that the journal tells otherwise'],
} as const;

export type OpenMatters = { readonly [Matter in keyof typeof MATTERS]?: number };

export type SettleDecision =
  | { readonly kind: 'settle' }
  | { readonly kind: 'repeated' }
  | { readonly kind: 'wrong_state' }
  /** Each with its number, none of them 0. */
  | { readonly kind: 'still_open'; readonly open: OpenMatters };

export function decideSettle(view: SettleView, gates: GatesAtRest): SettleDecision {
  if (view.state === 'settled') return { kind: 'repeated' };
  if (view.state !== 'closed') return { kind: 'wrong_state' };
  const counts: Required<OpenMatters> = {
    unconfirmedGates: view.segments.filter((segment) => !isConfirmed(segment, gates)).length,
    ...{ queuedClaims: gates.queuedClaims, unsettledClaims: gates.unsettledClaims },
    ...{ unpaidOrders: view.unpaidOrders, latePayments: view.latePayments },
    ...{ openMoves: view.openMoves, openReturns: view.openReturns, openReleases: view.openReleases },
    openWithdrawals: view.openWithdrawals,
    ...unitsOutside(view),
  };
  const open = Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)) as OpenMatters;
  return Object.keys(open).length > 0 ? { kind: 'still_open', open } : { kind: 'settle' };
}

/** For people: what is open, and how many. */
export function sayOpenMatters(open: OpenMatters): string {
  const matters = Object.keys(MATTERS) as (keyof typeof MATTERS)[];
  const parts = matters.flatMap((matter) => {
    const count = open[matter] ?? 0;
    const [one, many] = MATTERS[matter];
    return count > 0 ? [`${count} ${count === 1 ? one : many}`] : [];
  });
  return `Still open: ${parts.join(', ')}.`;
}

function isConfirmed(segment: SegmentRecord, { confirmed }: GatesAtRest): boolean {
  return confirmed.some((each) => segmentName(each) === segmentName(segment) && each.epoch === segment.epoch);
}

/** Units that are neither sold nor free, and whether the journal says the same of those that are. */
function unitsOutside({ centre, quotas, balance }: SettleView) {
  const sum = (unitsOf: (quota: Quota) => number) => quotas.reduce((units, quota) => units + unitsOf(quota), 0);
  const soldUnits = sum((quota) => quota.soldUnits);
  const differences = [
    balance.free - centre.freeUnits,
    balance.sold - soldUnits,
    balance.outside + centre.totalUnits,
    centre.freeUnits + centre.allottedUnits - centre.totalUnits,
    balance.inTransit,
  ];
  return {
    quarantinedUnits: sum((quota) => quota.quarantinedUnits),
    // What unpaid orders hold is counted as orders.
    unreturnedUnits: sum((quota) => quota.allottedUnits - quota.soldUnits - quota.heldUnits - quota.quarantinedUnits),
    unbalancedUnits: Math.max(...differences.map(Math.abs)),
  };
}
