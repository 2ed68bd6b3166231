/** Orders in the words of the wire. What an order delivers and costs is its sale's to say. */
import type { AdminOrderAnswer, OrderAnswer } from '@sluice/contract';
import { Fault } from '../domain/fault.ts';
import type { SaleId } from '../domain/ids.ts';
import { invariant } from '../domain/invariant.ts';
import type { KnownOrder, Order } from '../domain/order/order.ts';
import { costOf, itemsOf, type Offer } from '../domain/sale/offer.ts';
import type { ServedEngine } from './deps.ts';

/** Offers never change, so that one reading of each serves a whole list. */
export async function answersFor<Answer>(
  engine: Pick<ServedEngine, 'findSale' | 'showSale'>,
  orders: readonly Order[],
  answerOf: (order: Order, offer: Offer) => Answer,
): Promise<readonly Answer[]> {
  const saleIds = [...new Set(orders.map(({ saleId }) => saleId))];
  const offers = new Map(await Promise.all(saleIds.map(async (id) => [id, await readOffer(engine, id)] as const)));
  return orders.map((order) => {
    const offer = offers.get(order.saleId);
    invariant(offer, 'each sale was read');
    return answerOf(order, offer);
  });
}

export async function readOffer(engine: Pick<ServedEngine, 'findSale' | 'showSale'>, saleId: SaleId): Promise<Offer> {
  // What was asked for before it was published may be remembered as absent for a moment.
  const sale = (await engine.findSale(saleId)) ?? (await engine.showSale(saleId));
  // An order of the ledger has a sale there. One that only a gate knows may have outlived it.
  if (!sale)
    throw new Fault('ledger_rolled_back', `The ledger has no sale ${saleId} any more, of which a gate has claims.`);
  return sale.offer;
}

export function orderAnswer(order: KnownOrder, offer: Offer): OrderAnswer {
  const { orderId, saleId, units, state, refusal, settledAtMs, dueAtMs } = order;
  const { kind } = offer;
  const [items, cost] = [[...itemsOf(offer, units)], costOf(offer, units)];
  return { orderId, saleId, units, status: state, refusal, settledAtMs, kind, items, cost, dueAtMs };
}

export function adminOrderAnswer(order: Order, offer: Offer): AdminOrderAnswer {
  const { region, channel } = order.origin;
  return { ...orderAnswer(order, offer), settledAtMs: order.settledAtMs, buyer: order.buyerId, region, channel };
}
