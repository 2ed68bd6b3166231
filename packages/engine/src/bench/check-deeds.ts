/**
 * Checks orders that have lived on against what was done with them. Pure. Units are counted by the orders that are live at
 * the end: what nobody paid was sold again.
 */
import type { PlacesAnswer } from '@sluice/contract';
import type { Deed } from './deeds.ts';
import type { FoundOrder, Visit } from './visit.ts';

export const DEED_VIOLATIONS = {
  order_state_differs: 'an order is in another state than what was done with it leads to',
  payment_differs: 'a payment or a cancel was not taken, or one notice was taken twice',
  refund_without_need: 'late money is due back although units are left',
} as const;

export interface DeedFacts {
  readonly deeds: ReadonlyMap<string, Deed>;
  readonly visits: readonly Visit[];
  readonly found: ReadonlyMap<string, FoundOrder | null>;
  readonly after: PlacesAnswer;
  /** Units that every purchase asked for, and that one buyer may have. */
  readonly units: number;
  readonly limitUnits: number;
  /** Orders had the time to fall due. */
  readonly holdsEnded: boolean;
}

const LIVE: readonly string[] = ['queued', 'pending', 'paid', 'fulfilled'];
const SOLD: readonly string[] = ['paid', 'fulfilled'];

export function liveUnits(visit: Visit, found: DeedFacts['found'], states = LIVE): number {
  const orderIds = new Set(visit.ends.flatMap((end) => (end.kind === 'accepted' ? [end.orderId] : [])));
  let units = 0;
  for (const orderId of orderIds) {
    const order = found.get(`${visit.plan.buyerId}/${orderId}`);
    if (order && states.includes(order.status)) units += order.units;
  }
  return units;
}

export function soldUnits(visit: Visit, found: DeedFacts['found']): number {
  return liveUnits(visit, found, SOLD);
}

export function checkDeeds(
  facts: DeedFacts,
  report: (name: keyof typeof DEED_VIOLATIONS, example: string) => void,
): void {
  for (const deed of facts.deeds.values()) {
    const status = facts.found.get(`${deed.plan.buyerId}/${deed.orderId}`)?.status;
    // That it is not there is told elsewhere.
    if (status === undefined) continue;
    if (!expectedStates(deed, facts).includes(status)) {
      report('order_state_differs', `${deed.orderId}, whose buyer ${deed.done}, is ${status}`);
    }
    if (status === 'paid_unfulfilled' && facts.after.available >= facts.units && mayHaveMore(deed, facts)) {
      report('refund_without_need', `${deed.orderId}; ${facts.after.available} units are left`);
    }
  }
}

function expectedStates({ done }: Deed, { holdsEnded }: DeedFacts): readonly string[] {
  switch (done) {
    case 'pays':
      return ['paid'];
    case 'cancels':
      return ['cancelled'];
    case 'never_pays':
      return holdsEnded ? ['expired'] : ['expired', 'pending'];
    case 'pays_late':
      return ['paid', 'paid_unfulfilled'];
  }
}

/** Late money gets no unit either when its buyer has bought elsewhere meanwhile. */
function mayHaveMore({ plan }: Deed, { visits, found, units, limitUnits }: DeedFacts): boolean {
  const visit = visits.find((each) => each.plan.buyerId === plan.buyerId);
  return visit !== undefined && liveUnits(visit, found) + units <= limitUnits;
}
