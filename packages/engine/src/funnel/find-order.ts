/**
 * A buyer's own order, also before the ledger has it: what a gate has claimed is told as `queued`, never as unknown. Who lost
 * their token hears of their live orders the same way. Asked only when the ledger or the sale says no, so that a buyer who is
 * answered costs nothing here.
 */
import type { Buyer } from '../domain/buyer.ts';
import { Fault } from '../domain/fault.ts';
import type { ClaimMark } from '../domain/gate/decide-claim.ts';
import type { BuyerId, OrderId, SaleId } from '../domain/ids.ts';
import { segmentOfBuyer } from '../domain/inventory/segment-of-buyer.ts';
import type { KnownOrder, Order } from '../domain/order/order.ts';
import { limitScopeOf } from '../domain/sale/limit-scope.ts';
import type { Sale } from '../domain/sale/sale.ts';
import type { ClaimMarks } from '../ports/claim-marks.ts';
import type { Orders } from '../ports/orders.ts';
import type { HotEntries } from './gateway/hot-entries.ts';

export interface FindOrderDeps {
  readonly orders: Orders;
  readonly claimMarks: ClaimMarks;
  /** All sales, under one key. */
  readonly saleLists: HotEntries<readonly Sale[]>;
}

const ALL_SALES = 'all';

/** Of the sales that may have claims in hand, so many are asked for an order that the ledger does not know. */
const MAX_SALES = 100;

/** Null for an order that does not exist, and for one that is another buyer's. */
export async function findOrder(deps: FindOrderDeps, orderId: OrderId, buyer: Buyer): Promise<KnownOrder | null> {
  const ownOrder = async (): Promise<Order | null | 'another'> => {
    const order = await deps.orders.find(orderId);
    return order && order.buyerId !== buyer.buyerId ? 'another' : order;
  };
  let failure: Fault | null = null;
  try {
    const order = await ownOrder();
    if (order) return order === 'another' ? null : order;
  } catch (error) {
    if (!(error instanceof Fault) || !error.retryable) throw error;
    failure = error;
  }
  const found = await findMark(deps, orderId, buyer);
  if (found?.mark.state === 'claimed') return queuedOrder(found.saleId, found.mark, buyer.buyerId);
  if (failure) throw failure;
  if (!found) return null;
  // It has come into the ledger since that was asked.
  const order = await ownOrder();
  return order === 'another' ? null : order;
}

interface FoundMark {
  readonly saleId: SaleId;
  readonly mark: ClaimMark;
}

async function findMark(deps: FindOrderDeps, orderId: OrderId, buyer: Buyer): Promise<FoundMark | null> {
  const known = await openSales(deps);
  const found = await findMarkIn(deps, known, orderId, buyer);
  if (found) return found;
  // The list may be half a minute old, and the sale newer.
  deps.saleLists.drop(ALL_SALES);
  const knownIds = new Set(known.map(({ id }) => id));
  const added = (await openSales(deps)).filter(({ id }) => !knownIds.has(id));
  return findMarkIn(deps, added, orderId, buyer);
}

async function openSales({ saleLists }: FindOrderDeps): Promise<readonly Sale[]> {
  const sales = (await saleLists.get(ALL_SALES)) ?? [];
  return sales.filter(({ state }) => state !== 'draft' && state !== 'settled').slice(-MAX_SALES);
}

async function findMarkIn(
  deps: FindOrderDeps,
  open: readonly Sale[],
  orderId: OrderId,
  buyer: Buyer,
): Promise<FoundMark | null> {
  const found = await Promise.all(
    open.map(async (sale) => {
      const { id: saleId, segments } = sale;
      const number = segmentOfBuyer(limitScopeOf(sale), buyer.buyerId, segments);
      const segment = { saleId, region: buyer.region, segment: number };
      const marks = await deps.claimMarks.ofBuyer(segment, buyer.buyerId);
      // The last one: after a lost gate an order may have been claimed twice.
      const mark = marks.filter((each) => each.orderId === orderId).at(-1);
      return mark ? { saleId, mark } : null;
    }),
  );
  return found.find((each) => each !== null) ?? null;
}

function queuedOrder(saleId: SaleId, { orderId, units, origin }: ClaimMark, buyerId: BuyerId): KnownOrder {
  return { orderId, saleId, buyerId, units, origin, state: 'queued', refusal: null, settledAtMs: null, dueAtMs: null };
}
