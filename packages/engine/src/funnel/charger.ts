/**
 * The charger: takes the points of orders that wait for them, and gives back those that no order has a use for. It works
 * from the ledger's charges, under keys fixed by the order, so it may be killed anywhere, stopped and started, and run
 * several times at once: an order is charged once, and what was taken is its price or goes back.
 *
 * A wallet that does not answer is asked again, later and later. When the order has ended meanwhile, nobody knows whether
 * points were taken; asking would take them now. So the ledger first says that they are due back, and then the wallet is
 * told to give back whatever it took, or will be asked for, under that key.
 */
import { Fault } from '../domain/fault.ts';
import type { OrderId } from '../domain/ids.ts';
import { invariant } from '../domain/invariant.ts';
import { walletReference } from '../domain/order/charge.ts';
import type { ChargedOrder } from '../ports/orders.ts';
import type { Wallet, WalletCall } from '../ports/wallet.ts';
import { followChange } from './follow-change.ts';
import { notePayment } from './note-payment.ts';
import type { ReclaimDeps } from './reclaim-units.ts';
import { createRounds, type Rounds, type RoundsDeps } from './rounds.ts';

export interface ChargerDeps extends ReclaimDeps, RoundsDeps {
  readonly wallet: Wallet;
  /** 0 when the wallet may be called; else how long it should be left alone. */
  readonly askWallet: () => number;
}

export interface Charger extends Rounds {
  /** One page of charges; answers whether there may be more now. */
  round(): Promise<boolean>;
}

/** How late an order may be charged after it was settled, when all is well. */
const BETWEEN_ROUNDS_MS = 250;

const CHARGES_PER_PAGE = 200;

/** A wallet is another's server: it gets this many calls at once from a process, and no more. */
const CALLS_AT_ONCE = 16;

/** After a call without an answer the next one for that order waits: this long, then twice as long, up to the longest. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
const MAX_WAITS = 10_000;

interface Wait {
  readonly untilMs: number;
  readonly ms: number;
}

export function createCharger(deps: ChargerDeps): Charger {
  /** Of orders whose last call had no answer. */
  const waits = new Map<OrderId, Wait>();
  let after: OrderId | null = null;

  async function round(): Promise<boolean> {
    const page: readonly ChargedOrder[] = await deps.orders.listCharges(after, CHARGES_PER_PAGE);
    const isFull = page.length === CHARGES_PER_PAGE;
    after = isFull ? (page.at(-1)?.order.orderId ?? null) : null;
    const nowMs = deps.clock.monotonicMs();
    const ready = page.filter(({ order }) => (waits.get(order.orderId)?.untilMs ?? 0) <= nowMs);
    const work = ready.values();
    const calls = Array.from({ length: CALLS_AT_ONCE }, () => workOff(work));
    const isHeld = (await Promise.all(calls)).includes('held');
    return isFull && !isHeld;
  }

  /** `held`: the wallet is to be left alone for now. */
  async function workOff(work: Iterator<ChargedOrder>): Promise<'done' | 'held'> {
    for (let next = work.next(); !next.done; next = work.next()) {
      // Half open, it lets one of us through.
      if (deps.askWallet() > 0) return 'held';
      const { orderId } = next.value.order;
      try {
        await advance(deps, next.value);
        waits.delete(orderId);
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        deps.onFault(error);
        const ms = Math.min(LONGEST_WAIT_MS, (waits.get(orderId)?.ms ?? FIRST_WAIT_MS / 2) * 2);
        // Forgetting them makes calls come sooner, and no others.
        if (waits.size >= MAX_WAITS) waits.clear();
        waits.set(orderId, { ms, untilMs: deps.clock.monotonicMs() + ms });
      }
    }
    return 'done';
  }

  return { round, ...createRounds(deps, BETWEEN_ROUNDS_MS, round) };
}

/** One step of one charge; each is harmless to repeat. */
async function advance(deps: ChargerDeps, { charge, order }: ChargedOrder): Promise<void> {
  if (charge.state === 'open' && order.state === 'pending') return await take(deps, { charge, order });
  const current = charge.state === 'open' ? await deps.orders.giveUpCharge(order.orderId) : charge;
  if (current.state === 'due_back') await giveBack(deps, { charge, order });
}

async function take(deps: ChargerDeps, { charge, order }: ChargedOrder): Promise<void> {
  const { orderId } = order;
  const answer = await deps.wallet.charge(callFor({ charge, order }));
  if (answer.kind === 'refused') return await close(deps, orderId);
  const notice = { orderId, reference: walletReference(orderId), outcome: 'paid', amount: charge.points } as const;
  const noted = await notePayment(deps, notice);
  invariant(noted.kind === 'noted', `the points of order ${orderId} are what it costs`);
}

async function giveBack(deps: ChargerDeps, { charge, order }: ChargedOrder): Promise<void> {
  const call = callFor({ charge, order });
  await deps.wallet.refund({ ...call, key: `refund:${call.key}`, chargeKey: call.key });
  await close(deps, order.orderId);
}

async function close(deps: ChargerDeps, orderId: OrderId): Promise<void> {
  const { order, release } = await deps.orders.closeCharge(orderId);
  await followChange(deps, [order], release ? [release] : []);
}

/** The order's id is the charge's key: nothing else could be the same after a crash. */
function callFor({ charge, order }: ChargedOrder): WalletCall {
  const { orderId, buyerId, saleId } = order;
  return { key: orderId, buyerId, points: charge.points, saleId, orderId };
}
