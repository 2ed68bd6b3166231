/**
 * The centre and its quotas, as the ledger holds them: units move between them by id, and segments open epochs.
 */
import type { EpochSnapshot } from '../domain/gate/plan-load.ts';
import type { SaleId } from '../domain/ids.ts';
import type { AllotDecision, Centre } from '../domain/inventory/centre.ts';
import type { StockChange, StockDecision } from '../domain/inventory/decide-stock.ts';
import type { Move } from '../domain/inventory/move.ts';
import type { Quota, QuotaKey, SegmentKey } from '../domain/inventory/quota.ts';
import type { SegmentRecord } from '../domain/ledger/epoch.ts';
import type { Release } from '../domain/ledger/release.ts';
import type { Claim, Position } from '../domain/order/claim.ts';
import type { Sale } from '../domain/sale/sale.ts';

/** Everything the ledger knows of a sale's stock, at one moment. */
export interface Stock {
  readonly sale: Sale;
  readonly centre: Centre;
  readonly quotas: readonly Quota[];
  readonly segments: readonly SegmentRecord[];
  /** Moves not yet applied, and releases not yet delivered: the units in transit. */
  readonly openMoves: readonly Move[];
  readonly openReleases: readonly Release[];
  /** Of the claims that were asked about, by claim id: those the ledger has as an order, a release or in quarantine. */
  readonly knownClaimIds: ReadonlySet<string>;
}

export interface AllotRequest {
  readonly moveId: string;
  readonly quota: QuotaKey;
  readonly units: number;
}

export interface OpenEpochRequest {
  readonly segment: SegmentKey;
  /** Compare-and-set: the epoch that the caller saw. */
  readonly fromEpoch: number;
  /** The last claim of older epochs in the queue that was read; BEFORE_ALL when nothing could be read. */
  readonly cutThrough: Position;
  /** The claims read from the queue, before this call. */
  readonly queued: readonly Claim[];
}

export type OpenEpochResult =
  | { readonly kind: 'opened'; readonly snapshot: EpochSnapshot }
  /** Somebody else opened one. */
  | { readonly kind: 'stale'; readonly epoch: number };

export type ReceiveStockResult = StockDecision | { readonly kind: 'absent' };

export interface InventoryCentre {
  /** Null when there is no such sale. */
  stock(saleId: SaleId, claims: readonly Claim[]): Promise<Stock | null>;

  /** Adds units to a sale's total, free at the centre, once per delivery id. */
  receiveStock(saleId: SaleId, change: StockChange): Promise<ReceiveStockResult>;

  /**
   * Takes free units and writes the move, issued at the segment's epoch, in one transaction. A repeated id answers as the
   * first time and takes nothing.
   */
  allot(request: AllotRequest): Promise<AllotDecision>;

  /** The gate has the units: they are in transit no longer. A repeat, or a move that a rebuild absorbed, changes nothing. */
  finishMove(moveId: string): Promise<void>;

  /** Likewise for a release. */
  finishRelease(releaseId: string): Promise<void>;

  /**
   * One transaction: raises the segment's epoch, writes its cut, closes its open moves and releases (the load that follows
   * has their units in it) and takes the snapshot that the load is made from.
   */
  openEpoch(request: OpenEpochRequest): Promise<OpenEpochResult>;
}
