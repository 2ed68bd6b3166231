/**
 * Checks the books of a rush from outside: what buyers were told against what the deployment says afterwards. Pure. It must
 * find every broken promise of the list below; that is what the rush is for.
 */
import type { PlacesAnswer } from '@sluice/contract';
import { PLACES, REASONS, type Reason } from '@sluice/contract/codes';
import { checkDeeds, DEED_VIOLATIONS, liveUnits, soldUnits } from './check-deeds.ts';
import type { Deed } from './deeds.ts';
import { type AttemptEnd, type Complaint, describeEnd, type FoundOrder, type Visit, type VisitPlan } from './visit.ts';

export const VIOLATIONS = {
  oversold: 'more units were accepted than there were',
  units_stranded: 'units are left although buyers wanted them',
  over_limit: 'a buyer has more units than the limit allows',
  order_missing: 'an order that was accepted is not there',
  order_unreadable: 'an order that was accepted could not be read at once',
  order_differs: 'an order that was accepted has other units, another sale or was refused afterwards',
  order_shared: 'two buyers were given one order',
  books_unbalanced: 'the places do not sum to the total',
  books_not_still: 'units kept moving after everybody had left',
  places_differ: 'the places say that other units were ordered than buyers were told',
  win_lost: 'a buyer held a receipt, and the order was lost',
  token_two_orders: 'a token was answered with the order of another',
  replay_differs: 'a token was answered differently the second time',
  unexpected_answer: 'an answer that no buyer should see',
  unanswered: 'a buyer had no answer within their patience',
  server_error: 'an answer said that something broke in the deployment, or that it is busy without saying until when',
  ...DEED_VIOLATIONS,
} as const;

export type ViolationName = keyof typeof VIOLATIONS;

export interface Violation {
  readonly name: ViolationName;
  /** How often. */
  readonly count: number;
  /** The first one. */
  readonly example: string;
}

export interface RushFacts {
  readonly saleId: string;
  readonly limitUnits: number;
  /** Units that every purchase asked for. */
  readonly units: number;
  readonly before: PlacesAnswer;
  readonly after: PlacesAnswer;
  readonly visits: readonly Visit[];
  /** Of those who came again. */
  readonly complaints: readonly Complaint[];
  /** What buyers read when they asked for their orders afterwards; by `buyer/order`. Null: no such order of theirs. */
  readonly found: ReadonlyMap<string, FoundOrder | null>;
  /** By order; null when nobody paid anything. */
  readonly deeds: ReadonlyMap<string, Deed> | null;
  /** Orders had the time to fall due. */
  readonly holdsEnded: boolean;
}

/** Reasons that say there is nothing to buy. */
const SUPPLY: readonly Reason[] = ['sold_out', 'none_left_now', 'not_enough_left'];

/** Reasons that a well-behaved buyer of a live sale may hear. */
const EXPECTED: readonly Reason[] = [...SUPPLY, 'over_limit', 'over', 'paused', 'closed', 'not_started', 'too_early'];

type Report = (name: ViolationName, example: string) => void;

export function checkBooks(facts: RushFacts): readonly Violation[] {
  const found = new Map<ViolationName, { count: number; example: string }>();
  const report: Report = (name, example) => {
    const known = found.get(name);
    if (known) known.count++;
    else found.set(name, { count: 1, example });
  };
  checkAnswers(facts, report);
  checkOrders(facts, report);
  checkBuyers(facts, report);
  if (facts.deeds) {
    checkDeeds({ ...facts, deeds: facts.deeds }, report);
    checkResale(facts, report);
  } else checkStock(facts, report);
  checkPlaces(facts, report);
  return [...found].map(([name, { count, example }]) => ({ name, count, example }));
}

export function acceptedUnits(visits: readonly Visit[]): number {
  let units = 0;
  for (const order of acceptedOrders(visits).values()) units += order.units;
  return units;
}

interface AcceptedOrder {
  readonly buyerId: string;
  readonly units: number;
}

/** By order id: several answers with one order are one order. */
export function acceptedOrders(visits: readonly Visit[]): ReadonlyMap<string, AcceptedOrder> {
  const orders = new Map<string, AcceptedOrder>();
  for (const { plan, ends } of visits) {
    for (const end of ends) {
      if (end.kind === 'accepted') orders.set(end.orderId, { buyerId: plan.buyerId, units: end.units });
    }
  }
  return orders;
}

function checkAnswers({ visits, complaints }: RushFacts, report: Report): void {
  for (const { name, detail } of [...complaints, ...visits.flatMap((visit) => visit.complaints)]) report(name, detail);
  for (const { plan, ends } of visits) {
    for (const end of ends) {
      if (end.kind === 'unanswered') report('unanswered', plan.buyerId);
      const isExpected = end.kind !== 'unexpected' && (end.kind !== 'refused' || mayHear(plan, end.reason));
      if (!isExpected)
        report('unexpected_answer', end.kind === 'refused' ? `${end.reason}: ${end.detail}` : describeEnd(end));
    }
  }
}

/** Whoever does not come again when told to is left with that. */
function mayHear({ isBot }: VisitPlan, reason: Reason): boolean {
  return EXPECTED.includes(reason) || (isBot && REASONS[reason].retry === 'then');
}

function checkOrders({ visits, found, saleId }: RushFacts, report: Report): void {
  const owners = new Map<string, string>();
  for (const { plan, ends } of visits) {
    for (const end of ends) {
      if (end.kind !== 'accepted') continue;
      const owner = owners.get(end.orderId) ?? plan.buyerId;
      if (owner !== plan.buyerId) report('order_shared', `${end.orderId}: ${owner} and ${plan.buyerId}`);
      owners.set(end.orderId, owner);
      const order = found.get(`${plan.buyerId}/${end.orderId}`);
      if (!order) report('order_missing', `${end.orderId} of ${plan.buyerId}`);
      else if (
        order.units !== end.units ||
        order.saleId !== saleId ||
        order.status === 'refused' ||
        order.status === 'lost'
      ) {
        report(
          'order_differs',
          `${end.orderId}: ${end.units} units accepted, now ${order.units} of ${order.saleId}, ${order.status}`,
        );
      }
    }
  }
}

/** Units that buyers have at the end: what was accepted, or, when orders have lived on, what of it is live. */
function unitsOf({ deeds, found }: RushFacts, visit: Visit): number {
  return deeds ? liveUnits(visit, found) : acceptedUnits([visit]);
}

function checkBuyers(facts: RushFacts, report: Report): void {
  const { visits, limitUnits } = facts;
  for (const visit of visits) {
    const units = unitsOf(facts, visit);
    if (units > limitUnits) report('over_limit', `${visit.plan.buyerId} has ${units} of at most ${limitUnits}`);
  }
}

/** Holds as long as nobody else buys, pays back or cancels meanwhile. */
function checkStock(facts: RushFacts, report: Report): void {
  const { visits, units, before } = facts;
  const stock = before.free + before.available + before.inTransit;
  const accepted = acceptedUnits(visits);
  if (accepted > stock) report('oversold', `${accepted} accepted of ${stock}`);

  const orders = acceptedOrders(visits).size;
  const possible = Math.min(Math.floor(stock / units), demandIn(facts));
  if (orders < possible) report('units_stranded', `${orders} orders accepted, ${possible} were possible`);
}

/** The same when units came back and were sold again: who was sent away last must have found nothing. */
function checkResale(facts: RushFacts, report: Report): void {
  const { visits, units, before, after } = facts;
  const stock = before.free + before.available + before.inTransit;
  const live = visits.reduce((sum, visit) => sum + unitsOf(facts, visit), 0);
  if (live > stock) report('oversold', `${live} live of ${stock}`);

  const left = after.free + after.available;
  const sentAway = visits.filter(({ ends }) => {
    const last = ends.at(-1);
    return last?.kind === 'refused' && SUPPLY.includes(last.reason) && !ends.some(({ kind }) => kind === 'accepted');
  });
  if (left >= units && sentAway.length > 0) {
    report('units_stranded', `${left} units left, ${sentAway.length} buyers sent away`);
  }
}

/** Orders that the limit allows. */
function demandIn({ visits, units, limitUnits }: RushFacts): number {
  const ordersPerBuyer = Math.floor(limitUnits / units);
  let orders = 0;
  for (const { ends } of visits) {
    orders += Math.min(ends.filter(isDemand).length, ordersPerBuyer);
  }
  return orders;
}

/** Whoever came too late or to a closed door is not counted, nor who heard nothing; who gave up waiting wanted to buy. */
function isDemand(end: AttemptEnd): boolean {
  if (end.kind === 'gave_up') return true;
  if (end.kind === 'refused') return SUPPLY.includes(end.reason) || end.reason === 'over_limit';
  return end.kind === 'accepted';
}

function checkPlaces(facts: RushFacts, report: Report): void {
  const { before, after, visits, deeds, found } = facts;
  const sum = PLACES.reduce((total, place) => total + after[place], 0);
  if (!after.balanced || sum !== after.total) report('books_unbalanced', `${sum} of ${after.total}`);
  if (!after.still || after.claimed + after.inTransit > 0) report('books_not_still', JSON.stringify(after));
  const ordered = after.held + after.sold - before.held - before.sold;
  const accepted = visits.reduce((units, visit) => units + unitsOf(facts, visit), 0);
  if (ordered !== accepted) report('places_differ', `${ordered} units held or sold, ${accepted} accepted`);
  if (!deeds) return;
  const paid = visits.reduce((units, visit) => units + soldUnits(visit, found), 0);
  const sold = after.sold - before.sold;
  if (sold !== paid) report('places_differ', `${sold} units sold, ${paid} paid`);
}
