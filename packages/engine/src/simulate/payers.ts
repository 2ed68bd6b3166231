/**
 * What becomes of an order after it was bought, or while it is: buyers who pay, in time or not, once or twice; who cancel,
 * also before they heard of their order; and who never do anything. Money goes through the operator's back end.
 */
import type { Buyer } from '../domain/buyer.ts';
import type { SaleKind } from '../domain/sale/offer.ts';
import type { AnswerAuditor } from './answer-auditor.ts';
import type { BackEnd } from './back-end.ts';
import type { Random } from './random.ts';
import type { Site } from './site.ts';
import type { World } from './world.ts';

export interface Counter {
  readonly world: World;
  readonly site: Site;
  readonly backEnd: BackEnd;
  readonly answers: AnswerAuditor;
  readonly kind: SaleKind;
}

/** One buyer's order, from the moment that its token was given. */
export interface Purchase {
  readonly buyer: Buyer;
  readonly orderId: string;
  readonly holdMs: number;
  /** The last receipt that was given for it. */
  readonly receipt: () => string | null;
  /** When an answer of the site ended the purchase: true with an order that is to be paid. */
  readonly bought: Promise<boolean>;
}

type Habit = (counter: Counter, purchase: Purchase, random: Random) => Promise<void>;

/** Each does one thing about its order; what they have in common they draw again, so that every mixture is met. */
const HABITS: readonly [Habit, ...Habit[]] = [
  payOnce,
  payOnce,
  payOnce,
  payTwice,
  payEarly,
  payLate,
  payLate,
  payOnTheDot,
  payAfterFailure,
  cancelOnce,
  cancelQueued,
  cancelQueued,
  cancelQueued,
  cancelAndPay,
  refundFirst,
  neverPay,
];

/** Nobody pays for a gift: it is cancelled in time, or given back, or kept. */
const GIFT_HABITS: readonly [Habit, ...Habit[]] = [cancelOnceOnly, cancelQueuedOnly, giveUp, neverPay];

/** The wallet pays; what a buyer can do is to change their mind. */
const EXCHANGE_HABITS: readonly [Habit, ...Habit[]] = [neverPay, neverPay, cancelOnceOnly, cancelQueuedOnly, giveUp];

function habitsFor(kind: SaleKind): readonly [Habit, ...Habit[]] {
  switch (kind) {
    case 'limited_skin':
      return HABITS;
    case 'gift_pack':
      return GIFT_HABITS;
    case 'exchange':
      return EXCHANGE_HABITS;
  }
}

/** Goes on until it has done what it does; nobody waits for it but the end of the world. */
export async function liveOn(counter: Counter, purchase: Purchase, random: Random): Promise<void> {
  await random.pick(habitsFor(counter.kind))(counter, purchase, random);
}

async function neverPay(): Promise<void> {}

/** Pays, and may want the money back, of that payment or of one too many. */
async function pay({ world, backEnd }: Counter, { orderId }: Purchase, random: Random): Promise<void> {
  payments.set(world, (payments.get(world) ?? 0) + 1);
  const reference = `${orderId}$${payments.get(world)}`;
  const state = await backEnd.tell(orderId, reference, 'paid');
  if (!random.chance(state === 'refund_due' ? 0.7 : 0.2)) return;
  await world.sleep(random.whole(0, 1_500));
  if (state === 'refund_due') world.sometimes('surplus-refunded');
  await backEnd.tell(orderId, reference, 'refunded');
}

/** References are never used twice in a world. */
const payments = new WeakMap<World, number>();

async function payOnce(counter: Counter, purchase: Purchase, random: Random): Promise<void> {
  if (!(await purchase.bought)) return;
  await counter.world.sleep(random.whole(0, 400));
  await pay(counter, purchase, random);
}

async function payTwice(counter: Counter, purchase: Purchase, random: Random): Promise<void> {
  if (!(await purchase.bought)) return;
  const first = pay(counter, purchase, random.fork());
  await counter.world.sleep(random.chance(0.5) ? 0 : random.whole(0, 2 * purchase.holdMs));
  await pay(counter, purchase, random);
  await first;
}

async function payEarly(counter: Counter, purchase: Purchase, random: Random): Promise<void> {
  await counter.world.sleep(random.whole(0, 300));
  await pay(counter, purchase, random);
  if (random.chance(0.3)) await pay(counter, purchase, random);
}

async function payLate(counter: Counter, purchase: Purchase, random: Random): Promise<void> {
  if (!(await purchase.bought)) return;
  await counter.world.sleep(purchase.holdMs + random.whole(0, 3_000));
  const second = random.chance(0.4) ? pay(counter, purchase, random.fork()) : null;
  await pay(counter, purchase, random);
  await second;
}

/** As near as can be to the moment that its order expires. */
async function payOnTheDot(counter: Counter, purchase: Purchase, random: Random): Promise<void> {
  if (!(await purchase.bought)) return;
  await counter.world.sleep(Math.max(0, purchase.holdMs - random.whole(0, 40)));
  await pay(counter, purchase, random);
}

async function payAfterFailure(counter: Counter, purchase: Purchase, random: Random): Promise<void> {
  if (!(await purchase.bought)) return;
  await counter.backEnd.tell(purchase.orderId, `${purchase.orderId}$failed`, 'failed');
  if (random.chance(0.5)) await pay(counter, purchase, random);
}

async function cancelOnce(counter: Counter, purchase: Purchase, random: Random): Promise<void> {
  if (!(await purchase.bought)) return;
  await counter.world.sleep(random.whole(0, 1_000));
  await cancel(counter, purchase, random);
  if (random.chance(0.3)) await cancel(counter, purchase, random);
  if (random.chance(0.3)) await pay(counter, purchase, random);
}

const RECEIPT_WITHIN_MS = 12_000;

/** With the receipt that it was given before its order was settled. */
async function cancelQueued(counter: Counter, purchase: Purchase, random: Random): Promise<void> {
  const { world } = counter;
  const untilMs = world.nowMs() + RECEIPT_WITHIN_MS;
  while (purchase.receipt() === null && world.nowMs() < untilMs) await world.sleep(50);
  if (purchase.receipt() === null) return;
  const early = random.chance(0.3) ? pay(counter, purchase, random.fork()) : null;
  await cancel(counter, purchase, random);
  await early;
}

async function cancelOnceOnly(counter: Counter, purchase: Purchase, random: Random): Promise<void> {
  if (!(await purchase.bought)) return;
  await counter.world.sleep(random.chance(0.5) ? random.whole(0, 300) : random.whole(0, 2_000));
  await cancel(counter, purchase, random);
}

async function cancelQueuedOnly(counter: Counter, purchase: Purchase, random: Random): Promise<void> {
  const { world } = counter;
  const untilMs = world.nowMs() + RECEIPT_WITHIN_MS;
  while (purchase.receipt() === null && world.nowMs() < untilMs) await world.sleep(50);
  if (purchase.receipt() !== null) await cancel(counter, purchase, random);
}

/** The operator takes it back, once it is the buyer's: a refund of no payment that the back end knows. */
async function giveUp({ world, backEnd, site }: Counter, purchase: Purchase, random: Random): Promise<void> {
  if (!(await purchase.bought)) return;
  const { orderId, buyer } = purchase;
  for (let looks = 0; looks < 20; looks++) {
    await world.sleep(random.whole(50, 800));
    const reply = await site.ask(`about ${orderId}`, (engine) => engine.findOrder(orderId, buyer));
    if (reply.kind === 'none') continue;
    if (reply.answer?.state === 'paid') await backEnd.tell(orderId, `${orderId}$back`, 'refunded');
    if (reply.answer?.state !== 'pending') return;
  }
}

async function cancelAndPay(counter: Counter, purchase: Purchase, random: Random): Promise<void> {
  if (!(await purchase.bought)) return;
  const paying = pay(counter, purchase, random.fork());
  counter.world.sometimes('end-and-payment-at-once');
  await cancel(counter, purchase, random);
  await paying;
}

async function refundFirst({ world, backEnd }: Counter, purchase: Purchase, random: Random): Promise<void> {
  if (random.chance(0.5)) await purchase.bought;
  const { orderId, holdMs } = purchase;
  const reference = `${orderId}$back`;
  if (random.chance(0.3)) await world.sleep(holdMs);
  const refund = backEnd.tell(orderId, reference, 'refunded');
  if (random.chance(0.7)) await refund;
  world.sometimes('refund-before-payment');
  await world.sleep(random.whole(0, holdMs));
  await backEnd.tell(orderId, reference, 'paid');
  await refund;
}

/** Until it is answered; the operator may do it for the buyer. */
async function cancel({ world, site, answers }: Counter, purchase: Purchase, random: Random): Promise<void> {
  const { orderId, buyer } = purchase;
  const canceller = random.chance(0.2) ? null : buyer;
  for (;;) {
    const reply = await site.ask(`to cancel ${orderId}`, async (engine) => {
      const answered = answers.orderAsked(orderId);
      const answer = await engine.cancelOrder({ orderId, buyer: canceller, receipt: purchase.receipt() });
      if (answer.kind === 'cancelled') answered(answer.order);
      return answer;
    });
    if (reply.kind === 'answer') return;
    await world.sleep(random.whole(50, 800));
  }
}
