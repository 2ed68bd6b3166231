/**
 * A bot: one account with several hands. Each draws token after token and buys at once, whatever it has won or been told,
 * and waits for nothing that it is told to wait for. It must get no more than its limit for it.
 */
import type { PurchaseAnswer, TokenAnswer } from '@sluice/contract';
import type { Answer } from './deployment-client.ts';
import { routes } from './routes.ts';
import {
  callOf,
  endOf,
  type Heard,
  judgeEnd,
  purchaseCall,
  purchaseWith,
  QUEUED,
  type Visit,
  type VisitDeps,
  type VisitPlan,
  visitOf,
} from './visit.ts';

/** Together more calls than the default limit of an account lets through. */
const HANDS = 5;
const TRIES_OF_A_HAND = 8;
const BETWEEN_TRIES_MS = 20;

const NO_ANSWER = { kind: 'gave_up', told: null } as const;

export async function hammerSale(deps: VisitDeps, plan: VisitPlan, intendedMs: number): Promise<Visit> {
  async function hand(): Promise<readonly Heard[]> {
    const heard: Heard[] = [];
    for (let tries = 0; tries < TRIES_OF_A_HAND; tries++) {
      if (tries > 0) await new Promise((resolve) => setTimeout(resolve, BETWEEN_TRIES_MS));
      heard.push(await tryToBuy(deps, plan, tries === 0 ? intendedMs : undefined));
    }
    return heard;
  }
  const heard = await Promise.all(Array.from({ length: HANDS }, hand));
  return visitOf(plan, heard.flat());
}

async function tryToBuy(deps: VisitDeps, plan: VisitPlan, intendedMs?: number): Promise<Heard> {
  const issued = await deps.caller.tryOnce(
    callOf(plan, { method: 'POST', path: routes.token(deps.saleId) }),
    intendedMs,
  );
  if (issued?.kind !== 'ok') return { end: endOf(issued ?? NO_ANSWER, 'token'), complaints: [] };
  const { token, orderId } = issued.body as TokenAnswer;
  const answer = await deps.caller.tryOnce(purchaseCall(deps, plan, token));
  return judgeEnd(deps, plan, { token, orderId }, await heardOf(deps, plan, token, answer));
}

/** A win is a win: a bot, too, waits for an order that is only queued. */
async function heardOf(deps: VisitDeps, plan: VisitPlan, token: string, answer: Answer | null): Promise<Heard> {
  if (answer?.kind !== 'ok') return { end: endOf(answer ?? NO_ANSWER, 'purchase'), complaints: [] };
  const { orderId, units, status } = answer.body as PurchaseAnswer;
  if (status === QUEUED) return purchaseWith(deps, plan, token);
  return { end: { kind: 'accepted', token, orderId, units }, complaints: [] };
}
