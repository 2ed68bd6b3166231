/**
 * One buyer's visit to a sale: a token, a purchase, and what people do beside that, which is click twice, and come with two
 * tokens. It judges what can be judged on the spot; the books are looked at when everybody has left.
 */
import type { PurchaseAnswer, TokenAnswer } from '@sluice/contract';
import type { OrderState, Reason } from '@sluice/contract/codes';
import type { Answer, DeploymentCall } from './deployment-client.ts';
import type { PatientCaller } from './patient-caller.ts';
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
  | { readonly kind: 'refused'; readonly reason: Reason; readonly detail: string }
  /** No answer within the buyer's patience. */
  | { readonly kind: 'unanswered' }
  | { readonly kind: 'unexpected'; readonly detail: string };

export interface Visit {
  readonly plan: VisitPlan;
  /** One for each token. */
  readonly ends: readonly AttemptEnd[];
  /** Promises that were broken before the buyer's eyes. */
  readonly complaints: readonly Complaint[];
}

/** An order as its buyer read it afterwards. */
export interface FoundOrder {
  readonly saleId: string;
  readonly units: number;
  readonly status: string;
}

export interface Complaint {
  readonly name: 'win_lost' | 'token_two_orders' | 'replay_differs' | 'payment_differs' | 'unanswered';
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
interface Heard {
  readonly end: AttemptEnd;
  readonly complaints: readonly Complaint[];
}

export async function visitSale(deps: VisitDeps, plan: VisitPlan): Promise<Visit> {
  if (plan.secondToken === 'at_once')
    return visitOf(plan, await Promise.all([attempt(deps, plan), attempt(deps, plan)]));
  const first = await attempt(deps, plan);
  const comesBack = plan.secondToken === 'after' && first.end.kind === 'accepted';
  return visitOf(plan, comesBack ? [first, await attempt(deps, plan)] : [first]);
}

function visitOf(plan: VisitPlan, heard: readonly Heard[]): Visit {
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
async function attempt(deps: VisitDeps, plan: VisitPlan): Promise<Heard> {
  const answer = await deps.caller.ask(callOf(plan, { method: 'POST', path: routes.token(deps.saleId) }));
  if (answer?.kind !== 'ok') return { end: endOf(answer), complaints: [] };
  const { token, orderId } = answer.body as TokenAnswer;
  const click = () => purchaseWith(deps, plan, token);
  const heard = plan.clicksTwice ? await clickTwice(deps, plan, click) : await click();
  const { end } = heard;
  if (end.kind !== 'accepted' || end.orderId === orderId) return heard;
  const complaint: Complaint = {
    name: 'token_two_orders',
    detail: `the token of ${orderId} was answered with ${end.orderId}`,
  };
  return { end, complaints: [...heard.complaints, complaint] };
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
async function purchaseWith(deps: VisitDeps, plan: VisitPlan, token: string): Promise<Heard> {
  const call = callOf(plan, {
    method: 'POST',
    path: routes.purchases(deps.saleId),
    body: { token, units: deps.units },
  });
  const untilMs = performance.now() + deps.patienceMs;
  let hasReceipt = false;
  while (performance.now() < untilMs) {
    const answer = await deps.caller.ask(call);
    if (answer?.kind !== 'ok') {
      const end = endOf(answer);
      const isLost = hasReceipt && answer !== null;
      return { end, complaints: isLost ? [{ name: 'win_lost', detail: `a receipt, then ${describeEnd(end)}` }] : [] };
    }
    const { orderId, units, status, receipt } = answer.body as PurchaseAnswer;
    if (status !== QUEUED) return { end: { kind: 'accepted', token, orderId, units }, complaints: [] };
    hasReceipt ||= receipt !== null;
  }
  return { end: { kind: 'unanswered' }, complaints: [] };
}

const QUEUED: OrderState = 'queued';

export function callOf({ jwt, address }: VisitPlan, call: DeploymentCall): DeploymentCall {
  return { ...call, bearer: jwt, clientAddress: address };
}

function endOf(answer: Answer | null): AttemptEnd {
  if (!answer) return { kind: 'unanswered' };
  if (answer.kind === 'refused') return { kind: 'refused', reason: answer.reason, detail: answer.detail };
  return {
    kind: 'unexpected',
    detail: answer.kind === 'foreign' ? `HTTP ${answer.status}: ${answer.text.slice(0, 100)}` : 'an answer',
  };
}

export function describeEnd(end: AttemptEnd): string {
  switch (end.kind) {
    case 'accepted':
      return `${end.orderId} (${end.units} units)`;
    case 'refused':
      return end.reason;
    case 'unanswered':
      return 'nothing';
    case 'unexpected':
      return end.detail;
  }
}
