/**
 * Withdraws stock from a sale that lives: what is free at once, else what comes back from the gates; all or nothing. An
 * answer that is lost, or a crash in between, leaves the withdrawal open; the keeper ends it, and who asks again under the
 * same delivery id hears how.
 */
import type { SaleId } from '../domain/ids.ts';
import type { Clock } from '../ports/clock.ts';
import type { WithdrawResult } from '../ports/inventory-centre.ts';
import { gatherUnits } from './gather-units.ts';
import { type KeepDeps, keepSale } from './keep-sale.ts';
import { readPlaces } from './read-places.ts';

export interface WithdrawDeps extends KeepDeps {
  readonly clock: Clock;
}

export interface WithdrawRequest {
  readonly saleId: SaleId;
  readonly delivery: string;
  readonly units: number;
}

export type WithdrawStockResult =
  | Exclude<WithdrawResult, { readonly kind: 'refused' | 'open' }>
  /** Nothing was withdrawn; so many units are not sold and in nobody's hands. */
  | { readonly kind: 'not_enough'; readonly unsoldUnits: number }
  /** A gate cannot be reached: it goes on without the caller. */
  | { readonly kind: 'unfinished' };

export async function withdrawStock(deps: WithdrawDeps, request: WithdrawRequest): Promise<WithdrawStockResult> {
  const opened = await deps.inventoryCentre.openWithdrawal({ id: deps.idSource.newId(), ...request });
  const result = opened.kind === 'open' ? await gatherUnits(deps, opened.withdrawal) : opened;
  switch (result.kind) {
    case 'open':
      return { kind: 'unfinished' };
    case 'refused': {
      // What came back for nothing goes out again.
      await keepSale(deps, request.saleId);
      const unsoldUnits = await unsoldUnitsOf(deps, request.saleId);
      return unsoldUnits === null ? { kind: 'unfinished' } : { kind: 'not_enough', unsoldUnits };
    }
    case 'withdrawn':
    case 'repeated':
    case 'content_differs':
    case 'wrong_state':
    case 'absent':
      return result;
  }
}

async function unsoldUnitsOf(deps: WithdrawDeps, saleId: SaleId): Promise<number | null> {
  const result = await readPlaces(deps, saleId);
  if (result.kind !== 'read') return null;
  const { free, available, inTransit } = result.reading.places;
  return free + available + inTransit;
}
