/**
 * What becomes of an order that nobody knows, for a buyer who can show the receipt of its claim. The gate took it and has lost it
 * since, with a fail-over or a restart. `lost` is said once the ledger has said that the claim counts no more (a later epoch, whose
 * cut does not reach it), so that no order comes of it any more: a worker that still has its entry writes it down as `refused`.
 * Until then it is `queued`, as it was told.
 */
import type { Buyer } from '../domain/buyer.ts';
import type { OrderId } from '../domain/ids.ts';
import { segmentName } from '../domain/inventory/quota.ts';
import { isStale } from '../domain/ledger/epoch.ts';
import { claimId, segmentOf } from '../domain/order/claim.ts';
import type { KnownOrder } from '../domain/order/order.ts';
import type { InventoryCentre } from '../ports/inventory-centre.ts';
import type { Orders } from '../ports/orders.ts';
import type { Signer } from '../ports/signer.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import { readReceiptClaim } from './gate/receipt.ts';

export interface FindLostDeps {
  readonly signer: Signer;
  readonly orders: Pick<Orders, 'find'>;
  readonly inventoryCentre: Pick<InventoryCentre, 'stock'>;
  /** Told of each lost order that somebody asks for. */
  readonly onLost: (orderId: OrderId) => void;
}

export interface ReceiptShown {
  readonly orderId: OrderId;
  readonly buyer: Buyer;
  readonly receipt: string | undefined;
}

/** Null without a receipt, and when it is none of ours, or another's. */
export async function findLost(deps: FindLostDeps, shown: ReceiptShown): Promise<KnownOrder | null> {
  const claim = shown.receipt === undefined ? null : readReceiptClaim(deps.signer, shown.receipt);
  if (!claim || claim.orderId !== shown.orderId || claim.buyerId !== shown.buyer.buyerId) return null;
  const stock = await deps.inventoryCentre.stock(claim.saleId, [claim]);
  if (!stock) return null;
  const told = { ...claim, refusal: null, settledAtMs: null, dueAtMs: null };
  const segment = stock.segments.find((each) => segmentName(each) === segmentName(segmentOf(claim)));
  const isOver = stock.sale.state === 'settled' || (segment !== undefined && isStale(claim.origin, segment));
  // In quarantine it waits for a person.
  if (!isOver || stock.knownClaimIds.has(claimId(claim))) return { ...told, state: 'queued' };
  // It was settled before the ledger said so.
  const order = await deps.orders.find(claim.orderId);
  if (order) return order;
  deps.onLost(claim.orderId);
  return { ...told, state: 'lost' };
}

/** Told again by a process after so many others, an order may be counted again. */
const MAX_REMEMBERED = 10_000;

/** Each order once, however often its buyer asks. */
export function createLostCount({ ordersChanged }: Pick<Telemetry, 'ordersChanged'>): FindLostDeps['onLost'] {
  const counted = new Set<OrderId>();
  return (orderId) => {
    if (counted.has(orderId)) return;
    if (counted.size >= MAX_REMEMBERED) counted.clear();
    counted.add(orderId);
    ordersChanged(['lost']);
  };
}
