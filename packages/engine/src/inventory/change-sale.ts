/**
 * Changes a sale and lets its gate know. It answers when the ledger has the change and, when all goes well, the gate, too;
 * what is missing the keeper does within a second.
 */
import type { SaleId } from '../domain/ids.ts';
import type { StockChange } from '../domain/inventory/decide-stock.ts';
import type { SaleOperation } from '../domain/sale/operation.ts';
import type { SalePatch } from '../domain/sale/sale.ts';
import type { ReceiveStockResult } from '../ports/inventory-centre.ts';
import type { OperateSaleResult, PatchSaleResult, Sales } from '../ports/sales.ts';
import { type KeepDeps, keepSale } from './keep-sale.ts';

export interface ChangeSaleDeps extends KeepDeps {
  readonly sales: Sales;
}

export interface OperateSaleDeps extends ChangeSaleDeps {
  readonly hasWallet: boolean;
}

export type OperateSaleAnswer = OperateSaleResult | { readonly kind: 'no_wallet' };

/** Pausing and closing stop new claims only; a closed sale's units come back to the centre. */
export async function operateSale(
  deps: OperateSaleDeps,
  saleId: SaleId,
  operation: SaleOperation,
): Promise<OperateSaleAnswer> {
  if (operation === 'publish' && !deps.hasWallet) {
    const sale = await deps.sales.find(saleId);
    if (sale?.offer.kind === 'exchange' && sale.state === 'draft') return { kind: 'no_wallet' };
  }
  const result = await deps.sales.operate(saleId, operation);
  if (result.kind === 'changed') await keepSale(deps, saleId);
  return result;
}

export interface PatchRequest {
  readonly saleId: SaleId;
  /** Of the sale as the caller read it. */
  readonly version: number;
  readonly patch: SalePatch;
}

export async function patchSale(deps: ChangeSaleDeps, request: PatchRequest): Promise<PatchSaleResult> {
  const result = await deps.sales.patch(request.saleId, request.version, request.patch);
  if (result.kind === 'patched') await keepSale(deps, request.saleId);
  return result;
}

/** More stock, in mid-sale: free at the centre, and from there to the gate. */
export async function receiveStock(
  deps: ChangeSaleDeps,
  saleId: SaleId,
  change: StockChange,
): Promise<ReceiveStockResult> {
  const result = await deps.inventoryCentre.receiveStock(saleId, change);
  if (result.kind === 'received') await keepSale(deps, saleId);
  return result;
}
