/**
 * The centre and its quotas, as the ledger holds them: units move between them by id, and segments open epochs.
 */
import type { EpochSnapshot } from '../domain/gate/plan-load.ts';
import type { SaleId } from '../domain/ids.ts';
import type { AllotRefusal, Centre } from '../domain/inventory/centre.ts';
import type { StockChange, StockDecision } from '../domain/inventory/decide-stock.ts';
import type { Withdrawal, WithdrawalAnswer, WithdrawalRequest } from '../domain/inventory/decide-withdrawal.ts';
import type { Move, ReturnMove } from '../domain/inventory/move.ts';
import type { Quota, QuotaKey, SegmentKey } from '../domain/inventory/quota.ts';
import type { SegmentRecord } from '../domain/ledger/epoch.ts';
import type { Release } from '../domain/ledger/release.ts';
import type { Claim, Position } from '../domain/order/claim.ts';
import type { SaleCondition } from '../domain/sale/decide-notice.ts';
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
  /** Moves back whose units the centre does not have yet; in transit as far as their gates have debited them. */
  readonly openReturns: readonly ReturnMove[];
  readonly openWithdrawals: readonly Withdrawal[];
  /** Which conditions of the sale were told and have not ended since. */
  readonly told: Readonly<Record<SaleCondition, boolean>>;
  /** Rises in the very transaction that makes units free (P13). */
  readonly generation: number;
  /** Of the claims that were asked about, by claim id: those the ledger has as an order, a release or in quarantine. */
  readonly knownClaimIds: ReadonlySet<string>;
}

export interface AllotRequest {
  readonly moveId: string;
  readonly quota: QuotaKey;
  readonly units: number;
}

export type AllotResult = { readonly kind: 'allotted'; readonly move: Move } | AllotRefusal;

export interface ReturnRequest {
  readonly moveId: string;
  readonly quota: QuotaKey;
  /** At the most; null: all there are. */
  readonly units: number | null;
  /** See ReturnMove; null when not given. */
  readonly onwardTo?: number;
}

export type IssueReturnResult =
  | { readonly kind: 'issued'; readonly move: ReturnMove }
  /** In a settled sale nothing moves. */
  | { readonly kind: 'refused'; readonly reason: 'sale_settled' };

export interface OpenEpochRequest {
  readonly segment: SegmentKey;
  /** Compare-and-set: the epoch that the caller saw. */
  readonly fromEpoch: number;
  /** The gate's, when it has one: the epoch that is opened is above it, whatever the ledger's is. */
  readonly gateEpoch?: number;
  /** The last claim of older epochs in the queue that was read; BEFORE_ALL when nothing could be read. */
  readonly cutThrough: Position;
  /** The claims read from the queue, before this call. */
  readonly queued: readonly Claim[];
}

export type OpenEpochResult =
  | { readonly kind: 'opened'; readonly snapshot: EpochSnapshot }
  /** Somebody else opened one. */
  | { readonly kind: 'stale'; readonly epoch: number }
  /** A settled sale has no use for a gate any more (P17). */
  | { readonly kind: 'settled' };

export type ReceiveStockResult = StockDecision | { readonly kind: 'absent' };

export type WithdrawResult = WithdrawalAnswer | { readonly kind: 'absent' };

export interface InventoryCentre {
  /** Null when there is no such sale. */
  stock(saleId: SaleId, claims: readonly Claim[]): Promise<Stock | null>;

  /** Adds units to a sale's total, free at the centre, once per delivery id. */
  receiveStock(saleId: SaleId, change: StockChange): Promise<ReceiveStockResult>;

  /** Takes free units out of the sale's total, or writes that they are wanted: see decideWithdrawal. */
  openWithdrawal(request: WithdrawalRequest): Promise<WithdrawResult>;

  /** Ends an open withdrawal, if what was asked back has come. Of an attempt that is not known: `absent`. */
  closeWithdrawal(id: string): Promise<WithdrawResult>;

  /**
   * Takes free units and writes the move, issued at the segment's epoch, in one transaction. A repeated id answers as the
   * first time and takes nothing. Nothing goes out of a sale that is closed, or while units are being withdrawn.
   */
  allot(request: AllotRequest): Promise<AllotResult>;

  /** The gate has the units: they are in transit no longer. A repeat, or a move that a rebuild absorbed, changes nothing. */
  finishMove(moveId: string): Promise<void>;

  /** Writes the intent of a move back, issued at the segment's epoch. No unit moves. A repeated id answers as the first time. */
  issueReturn(request: ReturnRequest): Promise<IssueReturnResult>;

  /**
   * The gate has given `units` for a return: one transaction makes them free and raises the generation, once. A repeat, or a
   * return that a rebuild made void, changes nothing. Units that are to go on are allotted in that same transaction, as `allot`
   * would: the answer is their move, to a repeat, too; null when there is none.
   */
  finishReturn(moveId: string, units: number): Promise<Move | null>;

  /** As finishMove, for a release. */
  finishRelease(releaseId: string): Promise<void>;

  /**
   * One transaction: raises the segment's epoch, writes its cut, closes its open moves, releases and returns (the load that
   * follows has their units in it) and takes the snapshot that the load is made from.
   */
  openEpoch(request: OpenEpochRequest): Promise<OpenEpochResult>;
}
