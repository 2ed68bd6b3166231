/**
 * One buyer's visit to a sale: a token, a purchase, and what people do beside that, which is click twice, and come with two
 * tokens. It judges what can be judged on the spot; the books are looked at when everybody has left.
 */
import type { OrderAnswer, PurchaseAnswer, TokenAnswer } from '@sluice/contract';
import type { OrderState, Reason } from '@sluice/contract/codes';
import type { Answer, DeploymentCall } from './deployment-client.ts';
import type { GaveUp, PatientCaller } from './patient-caller.ts';
import { routes } from './routes.ts';

export interface VisitPlan {
  readonly buyerId: string;
  readonly jwt: string;
  readonly address: string;
  readonly clicksTwice: boolean;
  /** Comes with a second token, after the first or at the same time, as from a second device. */
  readonly secondToken: 'none' | 'after' | 'at_once';
  /** What they mean to do with an order. */
  readonly intent: Intent;
  /** After the start of the rush. */
  readonly arrivesAtMs: number;
  /** Hammers, and does not wait when told to. */
  readonly isBot: boolean;
}

/** `leaves`: in a rush without payments. */
export type Intent = 'leaves' | 'pays' | 'never_pays' | 'pays_late' | 'cancels';

interface AcceptedEnd {
  readonly kind: 'accepted';
  readonly token: string;
  readonly orderId: string;
  readonly units: number;
}

/** How an attempt with one token ended. */
export type AttemptEnd =
  | AcceptedEnd
  | { readonly kind: 'refused'; readonly reason: Reason; readonly detail: string; readonly call: TriedCall }
  /** Told to come again for longer than the buyer's patience. */
  | { readonly kind: 'gave_up'; readonly told: string }
  /** No answer within the buyer's patience, or none that lasts. */
  | { readonly kind: 'unanswered' }
  | { readonly kind: 'unexpected'; readonly detail: string };

export interface Visit {
  readonly plan: VisitPlan;
  /** One for each token. */
  readonly ends: readonly AttemptEnd[];
  /** Promises that were broken before the buyer's eyes. */
  readonly complaints: readonly Complaint[];
}

/** What an attempt consists of. */
export type TriedCall = 'token' | 'purchase';

/** An order as its buyer read it afterwards. */
export interface FoundOrder {
  readonly saleId: string;
  readonly units: number;
  readonly status: string;
}

export interface Complaint {
  readonly name:
    | 'win_lost'
    | 'token_two_orders'
    | 'replay_differs'
    | 'payment_differs'
    | 'unanswered'
    | 'server_error'
    | 'order_unreadable';
  readonly detail: string;
}

export interface VisitDeps {
  readonly caller: PatientCaller;
  readonly saleId: string;
  readonly units: number;
  /** How long a buyer waits for an order that is only queued. */
  readonly patienceMs: number;
}

/** What a buyer heard of one token. */
export interface Heard {
  readonly end: AttemptEnd;
  readonly complaints: readonly Complaint[];
}

/** `intendedMs`: when the buyer meant to come, by `performance.now()`. */
export async function visitSale(deps: VisitDeps, plan: VisitPlan, intendedMs = performance.now()): Promise<Visit> {
  const go = () => attempt(deps, plan, intendedMs);
  if (plan.secondToken === 'at_once') return visitOf(plan, await Promise.all([go(), go()]));
  const first = await go();
  const comesBack = plan.secondToken === 'after' && first.end.kind === 'accepted';
  return visitOf(plan, comesBack ? [first, await attempt(deps, plan)] : [first]);
}

export function visitOf(plan: VisitPlan, heard: readonly Heard[]): Visit {
  return { plan, ends: heard.map(({ end }) => end), complaints: heard.flatMap(({ complaints }) => complaints) };
}

/** A buyer who lost the page comes again with the token, long after: the first success is answered for ever. */
export async function comeAgain(deps: VisitDeps, plan: VisitPlan, end: AttemptEnd): Promise<readonly Complaint[]> {
  if (end.kind !== 'accepted') return [];
  const { end: again, complaints } = await purchaseWith(deps, plan, end.token);
  return [...complaints, ...differenceOf(end, again)];
}

function differenceOf(end: AcceptedEnd, again: AttemptEnd): readonly Complaint[] {
  if (again.kind === 'accepted' && again.orderId === end.orderId && again.units === end.units) return [];
  return [{ name: 'replay_differs', detail: `${describeEnd(end)}, and the second time ${describeEnd(again)}` }];
}

/** A token, and a purchase with it. */
async function attempt(deps: VisitDeps, plan: VisitPlan, intendedMs = performance.now()): Promise<Heard> {
  const answer = await deps.caller.ask(callOf(plan, { method: 'POST', path: routes.token(deps.saleId) }), intendedMs);
  if (answer.kind !== 'ok') return { end: endOf(answer, 'token'), complaints: [] };
  const { token, orderId } = answer.body as TokenAnswer;
  const click = () => purchaseWith(deps, plan, token);
  const heard = plan.clicksTwice ? await clickTwice(deps, plan, click) : await click();
  return judgeEnd(deps, plan, { token, orderId }, heard);
}

/** Holds what was heard of a token against the order that it names. */
export async function judgeEnd(
  deps: VisitDeps,
  plan: VisitPlan,
  named: Pick<AcceptedEnd, 'token' | 'orderId'>,
  { end, complaints }: Heard,
): Promise<Heard> {
  const { orderId } = named;
  if (end.kind === 'gave_up' || end.kind === 'unanswered') {
    return { end: (await lookForOrder(deps, plan, named)) ?? end, complaints };
  }
  if (end.kind !== 'accepted') return { end, complaints };
  if (end.orderId === orderId) return { end, complaints: [...complaints, ...(await readAtOnce(deps, plan, end))] };
  const detail = `the token of ${orderId} was answered with ${end.orderId}`;
  return { end, complaints: [...complaints, { name: 'token_two_orders', detail }] };
}

/** What was accepted is there to be read, at once. */
async function readAtOnce(
  { caller }: VisitDeps,
  plan: VisitPlan,
  { orderId }: AcceptedEnd,
): Promise<readonly Complaint[]> {
  const answer = await caller.ask(callOf(plan, { method: 'GET', path: routes.order(orderId) }));
  if (answer.kind === 'ok' || answer.kind === 'gave_up') return [];
  return [{ name: 'order_unreadable', detail: `${orderId}: ${describeEnd(endOf(answer, 'purchase'))}` }];
}

/** Whoever did not hear how it ended asks for the order: an answer that was lost may have been a win. */
async function lookForOrder(
  { caller }: VisitDeps,
  plan: VisitPlan,
  { token, orderId }: Pick<AcceptedEnd, 'token' | 'orderId'>,
): Promise<AcceptedEnd | null> {
  const answer = await caller.ask(callOf(plan, { method: 'GET', path: routes.order(orderId) }));
  if (answer.kind !== 'ok') return null;
  const { units, status } = answer.body as OrderAnswer;
  return status === 'refused' || status === 'lost' ? null : { kind: 'accepted', token, orderId, units };
}

/**
 * Of two clicks one may have been refused before the other was accepted, when units came back between them. Once accepted,
 * a token is answered with its order.
 */
async function clickTwice(deps: VisitDeps, plan: VisitPlan, click: () => Promise<Heard>): Promise<Heard> {
  const [first, second] = await Promise.all([click(), click()]);
  const complaints = [...first.complaints, ...second.complaints];
  const accepted = first.end.kind === 'accepted' ? first.end : second.end;
  if (accepted.kind !== 'accepted') return { end: first.end, complaints };
  const other = accepted === first.end ? second.end : first.end;
  if (other.kind === 'accepted')
    return { end: accepted, complaints: [...complaints, ...differenceOf(accepted, other)] };
  return { end: accepted, complaints: [...complaints, ...(await comeAgain(deps, plan, accepted))] };
}

/** Repeats what was only `queued`, until it is in the ledger or known not to be. */
export async function purchaseWith(deps: VisitDeps, plan: VisitPlan, token: string): Promise<Heard> {
  const call = purchaseCall(deps, plan, token);
  const untilMs = performance.now() + deps.patienceMs;
  let hasReceipt = false;
  while (performance.now() < untilMs) {
    const answer = await deps.caller.ask(call);
    if (answer.kind !== 'ok') {
      const end = endOf(answer, 'purchase');
      const isLost = hasReceipt && answer.kind !== 'gave_up';
      return { end, complaints: isLost ? [{ name: 'win_lost', detail: `a receipt, then ${describeEnd(end)}` }] : [] };
    }
    const { orderId, units, status, receipt } = answer.body as PurchaseAnswer;
    if (status !== QUEUED) return { end: { kind: 'accepted', token, orderId, units }, complaints: [] };
    hasReceipt ||= receipt !== null;
  }
  return { end: { kind: 'unanswered' }, complaints: [] };
}

export function purchaseCall({ saleId, units }: VisitDeps, plan: VisitPlan, token: string): DeploymentCall {
  return callOf(plan, { method: 'POST', path: routes.purchases(saleId), body: { token, units } });
}

export const QUEUED: OrderState = 'queued';

export function callOf({ jwt, address }: VisitPlan, call: DeploymentCall): DeploymentCall {
  return { ...call, bearer: jwt, clientAddress: address };
}

export function endOf(answer: Answer | GaveUp, call: TriedCall): AttemptEnd {
  switch (answer.kind) {
    case 'gave_up':
      return answer.told === null ? { kind: 'unanswered' } : { kind: 'gave_up', told: answer.told };
    case 'refused':
      return { kind: 'refused', reason: answer.reason, detail: answer.detail, call };
    case 'ok':
      return { kind: 'unexpected', detail: 'an answer' };
    case 'foreign':
      return { kind: 'unexpected', detail: `HTTP ${answer.status}: ${answer.text.slice(0, 100)}` };
  }
}

export function describeEnd(end: AttemptEnd): string {
  switch (end.kind) {
    case 'accepted':
      return `${end.orderId} (${end.units} units)`;
    case 'gave_up':
      return `${end.told} again and again`;
    case 'refused':
      return end.reason;
    case 'unanswered':
      return 'nothing';
    case 'unexpected':
      return end.detail;
  }
}
