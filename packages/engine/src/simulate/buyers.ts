/**
 * Buyers, as they are: they come when they like, click twice, ask again with the same token when no answer came, change
 * their minds about the number, try with a second token, and look up their order. A buyer is done when every token has had
 * an answer that ends it.
 */
import type { Buyer } from '../domain/buyer.ts';
import { HOME_REGION, MAIN_CHANNEL } from '../domain/inventory/quota.ts';
import { type Refusal, retryOf } from '../domain/refusal.ts';
import type { PurchaseAccepted } from '../funnel/purchase.ts';
import type { AnswerAuditor } from './answer-auditor.ts';
import type { BackEnd } from './back-end.ts';
import { type Counter, liveOn } from './payers.ts';
import type { Life, Plan } from './plan.ts';
import { WORLD_BEGINS_MS } from './process.ts';
import type { Random } from './random.ts';
import type { Reply, Site } from './site.ts';
import type { World } from './world.ts';

export const SALE_ID = 'sale';

export interface Shop {
  readonly world: World;
  readonly site: Site;
  readonly backEnd: BackEnd;
  readonly answers: AnswerAuditor;
}

/** A token, and what it is meant to buy. */
interface Try {
  readonly buyer: Buyer;
  readonly token: string;
  readonly orderId: string;
  readonly units: number;
  /** What was given for it last. */
  readonly wallet: { receipt: string | null };
}

/** How a try ended: with an order of the ledger's, or with a refusal that is worth no other attempt. */
export type TryEnd = { readonly kind: 'order'; readonly status: string } | Refusal;

/** The buyers that are not done yet, by id. */
export function sendBuyers(shop: Shop, plan: Plan): ReadonlySet<string> {
  const left = new Set<string>();
  for (let number = 1; number <= plan.buyers; number++) {
    const buyer: Buyer = { buyerId: `b${number}|`, region: HOME_REGION, channel: MAIN_CHANNEL };
    left.add(buyer.buyerId);
    const random = shop.world.random.fork();
    const comesMs = random.whole(0, Math.floor(plan.healsMs * 0.9));
    shop.world.after(comesMs, () => {
      const { life } = plan;
      const keep = life ? keeper({ ...shop, kind: plan.offer.kind }, life, random.fork()) : keepNothing;
      void visit({ ...shop, keep }, buyer, random).then(() => left.delete(buyer.buyerId));
    });
  }
  return left;
}

/** What a buyer does about an order, beside buying it. */
type Keep = (attempt: Try, end: Promise<TryEnd>) => Promise<void>;

const keepNothing: Keep = async () => {};

function keeper(shop: Shop & Pick<Counter, 'kind'>, { holdMs }: Life, random: Random): Keep {
  return ({ buyer, orderId, wallet }, end) => {
    const bought = end.then((result) => result.kind === 'order' && result.status !== 'refused');
    return liveOn(shop, { buyer, orderId, holdMs, bought, receipt: () => wallet.receipt }, random.fork());
  };
}

interface Visit extends Shop {
  readonly keep: Keep;
}

async function visit(shop: Visit, buyer: Buyer, random: Random): Promise<void> {
  const first = await beginTry(shop, buyer, random);
  if (!first) return;
  const buying = pursue(shop, first, random);
  const keeping = shop.keep(first, buying);
  await visitOn(shop, first, { buying, random });
  await keeping;
}

interface Begun {
  readonly buying: Promise<TryEnd>;
  readonly random: Random;
}

async function visitOn(shop: Visit, first: Try, { buying, random }: Begun): Promise<void> {
  const { buyer } = first;
  const clicks = [buying];
  if (random.chance(0.2)) clicks.push(clickAgain(shop, first, random));
  const second = random.chance(0.15) ? beginTry(shop, buyer, random) : null;
  await Promise.all(clicks);
  const other = await second;
  if (other) await buyAndKeep(shop, other, random);
  if (random.chance(0.2)) await pursue(shop, first, random);
  if (random.chance(0.1)) await pursue(shop, { ...first, units: 1 + (first.units % 3) }, random);
  if (random.chance(0.2)) await lookUp(shop, first);
  if (random.chance(0.15)) {
    const again = await beginTry(shop, buyer, random);
    if (again) await buyAndKeep(shop, again, random);
  }
}

async function buyAndKeep(shop: Visit, attempt: Try, random: Random): Promise<void> {
  const buying = pursue(shop, attempt, random);
  await Promise.all([buying, shop.keep(attempt, buying)]);
}

async function clickAgain(shop: Shop, first: Try, random: Random): Promise<TryEnd> {
  await shop.world.sleep(random.chance(0.5) ? 0 : random.whole(0, 4_000));
  return pursue(shop, first, random);
}

/** Null when the sale gives no tokens any more. */
export async function beginTry(shop: Shop, buyer: Buyer, random: Random): Promise<Try | null> {
  for (;;) {
    const reply = await shop.site.ask(`a token for ${buyer.buyerId}`, (engine) => engine.issueToken(SALE_ID, buyer));
    if (reply.kind === 'answer') {
      const { answer } = reply;
      if (answer.kind === 'issued') {
        const { token, orderId } = answer;
        return { buyer, token, orderId, units: random.whole(1, random.whole(1, 3)), wallet: { receipt: null } };
      }
      if (answer.reason !== 'not_found') return null;
    }
    await shop.world.sleep(random.whole(200, 800));
  }
}

/** Buys until the answer ends it. */
export async function pursue(shop: Shop, attempt: Try, random: Random): Promise<TryEnd> {
  let patience = random.whole(0, 2);
  for (;;) {
    const reply = await purchaseOnce(shop, attempt);
    if (reply.kind === 'answer' && reply.answer.kind === 'accepted') {
      attempt.wallet.receipt = reply.answer.receipt ?? attempt.wallet.receipt;
    }
    const end = endOf(reply);
    if (end?.kind === 'order') return end;
    if (end && retryOf(end.reason) !== 'perhaps') return end;
    if (end && patience-- === 0) return end;
    const isQueued = reply.kind === 'answer' && reply.answer.kind === 'accepted';
    if (isQueued && random.chance(0.5)) await lookUp(shop, attempt);
    await shop.world.sleep(pauseOf(shop, reply, random));
  }
}

function purchaseOnce(shop: Shop, { buyer, token, orderId, units }: Try): Promise<Reply<PurchaseAccepted | Refusal>> {
  return shop.site.ask(`to sell ${orderId} to ${buyer.buyerId} x${units}`, async (engine, process) => {
    const answered = shop.answers.purchaseAsked({ process, orderId, buyerId: buyer.buyerId, units });
    const answer = await engine.purchase({ saleId: SALE_ID, buyer, token, units });
    answered(answer);
    return answer;
  });
}

async function lookUp(shop: Shop, { orderId, buyer }: Try): Promise<void> {
  await shop.site.ask(`about ${orderId}`, async (engine) => {
    const answered = shop.answers.orderAsked(orderId);
    const order = await engine.findOrder(orderId, buyer);
    answered(order);
    return order;
  });
}

function endOf(reply: Reply<PurchaseAccepted | Refusal>): TryEnd | null {
  if (reply.kind === 'none') return null;
  const { answer } = reply;
  if (answer.kind === 'accepted') return answer.status === 'queued' ? null : { kind: 'order', status: answer.status };
  return retryOf(answer.reason) === 'then' ? null : answer;
}

function pauseOf({ world }: Shop, reply: Reply<PurchaseAccepted | Refusal>, random: Random): number {
  const usualMs = random.whole(100, 800);
  if (reply.kind === 'none' || reply.answer.kind === 'accepted') return usualMs;
  const { retryAtMs, retryAfterMs } = reply.answer;
  const waitMs = retryAtMs === undefined ? (retryAfterMs ?? 0) : retryAtMs - WORLD_BEGINS_MS - world.nowMs();
  return Math.max(0, waitMs) + usualMs;
}
