/**
 * Journal entries: every movement of units that the ledger knows, append-only. Balances can be rebuilt from them.
 */
import type { SaleId } from '../ids.ts';
import type { Move, ReturnMove } from '../inventory/move.ts';
import type { PlaceName } from '../inventory/place.ts';
import type { QuotaKey } from '../inventory/quota.ts';
import { type Claim, claimId, quotaOf } from '../order/claim.ts';
import type { Release } from './release.ts';

/**
 * The ledger's accounts: its places, with `atGate` for what a gate holds (available or claimed: the ledger cannot and need
 * not tell) and `outside` for where stock comes from.
 */
export type Account = Exclude<PlaceName, 'available' | 'claimed'> | 'atGate' | 'outside';

export const ACCOUNTS = [
  'outside',
  'free',
  'inTransit',
  'atGate',
  'held',
  'sold',
  'quarantined',
] as const satisfies readonly Account[];

export const ENTRY_CAUSES = ['stock', 'move', 'order', 'release', 'quarantine'] as const;

export type EntryCause = (typeof ENTRY_CAUSES)[number];

export interface Entry {
  readonly saleId: SaleId;
  /** The quota concerned; null when the movement is at the centre only. */
  readonly quota: QuotaKey | null;
  readonly from: Account;
  readonly to: Account;
  readonly units: number;
  readonly cause: EntryCause;
  /** The id of the order, move, release or stock change that caused it. */
  readonly causeId: string;
}

export function stockReceived(saleId: SaleId, units: number, causeId: string): Entry {
  return { saleId, quota: null, from: 'outside', to: 'free', units, cause: 'stock', causeId };
}

/** Units that leave the sale for good. */
export function stockWithdrawn(saleId: SaleId, units: number, causeId: string): Entry {
  return { saleId, quota: null, from: 'free', to: 'outside', units, cause: 'stock', causeId };
}

/** `units`: what the gate had of what was asked for. None: no entry, for nothing moved. */
export function returnFinished({ id, quota }: ReturnMove, units: number): readonly Entry[] {
  if (units === 0) return [];
  return [{ saleId: quota.saleId, quota, from: 'atGate', to: 'free', units, cause: 'move', causeId: id }];
}

export function moveIssued(move: Move): Entry {
  const { id, quota, units } = move;
  return { saleId: quota.saleId, quota, from: 'free', to: 'inTransit', units, cause: 'move', causeId: id };
}

export function moveArrived(move: Move): Entry {
  const { id, quota, units } = move;
  return { saleId: quota.saleId, quota, from: 'inTransit', to: 'atGate', units, cause: 'move', causeId: id };
}

/** One to the centre had its units there before the gate heard of it. */
export function releaseArrived(release: Release): readonly Entry[] {
  if (release.destination === 'centre') return [];
  const entry: Entry = {
    saleId: release.saleId,
    quota: quotaOf(release),
    from: 'inTransit',
    to: 'atGate',
    units: release.units,
    cause: 'release',
    causeId: release.id,
  };
  return [entry];
}

/** Before it is settled again, or ended. */
export function claimTakenOut(claim: Claim): Entry {
  return { ...claimQuarantined(claim), from: 'quarantined', to: 'atGate' };
}

export function claimQuarantined(claim: Claim): Entry {
  return {
    saleId: claim.saleId,
    quota: quotaOf(claim),
    from: 'atGate',
    to: 'quarantined',
    units: claim.units,
    cause: 'quarantine',
    causeId: claimId(claim),
  };
}
