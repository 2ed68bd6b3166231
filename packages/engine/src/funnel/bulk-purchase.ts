/**
 * Purchases that a back end makes for its buyers, many in one call. There is no token: who calls, the sale, the buyer and the
 * back end's own request id are the order, by a keyed hash, so that a call whose answer was lost is made again and gets the
 * same orders. One item's failure is that item's answer.
 */
import type { Buyer } from '../domain/buyer.ts';
import { Fault } from '../domain/fault.ts';
import type { OrderId, SaleId } from '../domain/ids.ts';
import { type Refusal, refuse } from '../domain/refusal.ts';
import type { Sale } from '../domain/sale/sale.ts';
import type { HotEntries } from './gateway/hot-entries.ts';
import { REPLAY_GRACE_MS } from './gateway/purchase-token.ts';
import { type PurchaseAccepted, type PurchaseDeps, purchaseAs } from './purchase.ts';

export interface BulkPurchaseDeps extends PurchaseDeps {
  readonly sales: HotEntries<Sale>;
}

export interface BulkItem {
  readonly saleId: SaleId;
  readonly buyer: Buyer;
  /** The back end's own. */
  readonly requestId: string;
  /** A positive whole number. */
  readonly units: number;
}

export interface BulkAnswer {
  readonly orderId: OrderId;
  readonly answer: PurchaseAccepted | Refusal;
}

/** All at once: they reach the gate in a few calls, in their order. `caller` keeps the request ids of two back ends apart. */
export function bulkPurchase(
  deps: BulkPurchaseDeps,
  caller: string,
  items: readonly BulkItem[],
): Promise<readonly BulkAnswer[]> {
  return Promise.all(
    items.map(async (item) => {
      const { saleId, buyer, requestId } = item;
      const orderId = deps.signer.deriveId('bulk', [caller, saleId, buyer.buyerId, requestId]);
      return { orderId, answer: await answerTo(deps, orderId, item) };
    }),
  );
}

async function answerTo(
  deps: BulkPurchaseDeps,
  orderId: OrderId,
  { saleId, buyer, units }: BulkItem,
): Promise<PurchaseAccepted | Refusal> {
  try {
    const sale = await deps.sales.get(saleId);
    if (!sale || sale.state === 'draft') return refuse('not_found');
    // Until then the gate judges: what was bought is answered again.
    if (deps.clock.nowMs() >= sale.endsAtMs + REPLAY_GRACE_MS) return refuse('over');
    return await purchaseAs(deps, { orderId, saleId, buyer, units });
  } catch (error) {
    if (error instanceof Fault && error.retryable) return refuse('busy');
    throw error;
  }
}
