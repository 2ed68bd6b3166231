/**
 * Settles a sale: after it nothing moves, so it is done only when nothing could (P17). The gates are asked first, one after
 * the other, whether they have confirmed the close, and only then the queue is looked at: a gate that is closed puts nothing
 * into it. The ledger's own part is looked at in the transaction that changes the state.
 */
import type { SaleId } from '../domain/ids.ts';
import { claimId } from '../domain/order/claim.ts';
import type { GatesAtRest } from '../domain/sale/decide-settle.ts';
import type { Queue } from '../ports/queue.ts';
import type { Sales, SettleSaleResult } from '../ports/sales.ts';
import { type KeepDeps, keepSale } from './keep-sale.ts';

export interface SettleDeps extends KeepDeps {
  readonly sales: Sales;
  readonly queue: Queue;
}

export async function settleSale(deps: SettleDeps, saleId: SaleId): Promise<SettleSaleResult> {
  // What the keeper would do in its next rounds need not keep anybody waiting.
  await keepSale(deps, saleId);
  return deps.sales.settle(saleId, await readGates(deps, saleId));
}

async function readGates({ gate, queue, inventoryCentre }: SettleDeps, saleId: SaleId): Promise<GatesAtRest> {
  const stock = await inventoryCentre.stock(saleId, []);
  const confirmed: GatesAtRest['confirmed'][number][] = [];
  const atGates = [];
  for (const { saleId: sale, region, segment, epoch } of stock?.segments ?? []) {
    const key = { saleId: sale, region, segment };
    const view = await gate.read(key);
    if (!view || view.identity !== (await gate.identity(key)) || view.epoch !== epoch) continue;
    if (view.terms.state === 'closed') confirmed.push({ ...key, epoch });
    atGates.push(...view.unsettled);
  }
  let queuedClaims = 0;
  for (const segment of stock?.segments ?? []) queuedClaims += (await queue.peek(segment)).length;
  const known = (await inventoryCentre.stock(saleId, atGates))?.knownClaimIds ?? new Set();
  const unsettledClaims = atGates.filter((claim) => !known.has(claimId(claim))).length;
  return { confirmed, queuedClaims, unsettledClaims };
}
