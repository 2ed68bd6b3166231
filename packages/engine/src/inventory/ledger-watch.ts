/**
 * Finds a ledger that came back without its last commits: a database that does not write through before it answers, or whose data
 * is an older copy. Its gate has sold on what the ledger has forgotten, and is rebuilt from the ledger as it is. The ledger's own
 * mark does not show it: it is passed again as soon as the next claim is settled. So a process asks now and then for claims that it
 * has seen settled.
 *
 * Promises: no alarm while nothing was lost; of what this process settled before a gap of GAP_MS the last claim is asked for,
 * and whoever loses commits loses the last ones. What only others settled is theirs to miss.
 */
import type { SaleId } from '../domain/ids.ts';
import { type SegmentKey, segmentName } from '../domain/inventory/quota.ts';
import type { SegmentRecord } from '../domain/ledger/epoch.ts';
import { type Claim, claimId, segmentOf } from '../domain/order/claim.ts';
import type { Clock } from '../ports/clock.ts';
import type { SegmentView } from '../ports/gate.ts';
import type { Stock } from '../ports/inventory-centre.ts';

export interface LedgerWatch {
  /** The ledger has said that it has these. */
  settled(claims: readonly Claim[]): void;
  /** What to ask the ledger for. */
  claimsOf(saleId: SaleId): readonly Claim[];
  /** What it said of `asked`, which was told by `claimsOf` before. */
  compare(stock: Stock, asked: readonly Claim[]): void;
  isBehind(segment: SegmentRecord, view: SegmentView | null): boolean;
  caughtUp(segment: SegmentKey): void;
  tell(saleId: SaleId): void;
}

/** No database is gone and back within this. */
const GAP_MS = 50;

/** A second of gaps, and more: a round of the keeper asks for all of them. */
const MAX_CLAIMS = 32;

interface Seen {
  readonly saleId: SaleId;
  readonly claims: readonly Claim[];
  readonly lastAtMs: number;
}

export interface LedgerWatchDeps {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** A sale was rebuilt for that reason. */
  readonly onBehind: (saleId: SaleId) => void;
}

export function createLedgerWatch({ clock, onBehind }: LedgerWatchDeps): LedgerWatch {
  // Both bounded by the segments that exist.
  const seen = new Map<string, Seen>();
  const behind = new Set<string>();

  function see(claim: Claim): void {
    const name = segmentName(segmentOf(claim));
    const before = seen.get(name);
    const lastAtMs = clock.monotonicMs();
    const isAfterGap = before !== undefined && lastAtMs - before.lastAtMs >= GAP_MS;
    const kept = (isAfterGap ? before.claims : before?.claims.slice(0, -1)) ?? [];
    seen.set(name, { saleId: claim.saleId, claims: [...kept, claim].slice(-MAX_CLAIMS), lastAtMs });
  }

  /** The last one may be followed by a gap. */
  function keepLast(name: string, asked: readonly Claim[]): void {
    const one = seen.get(name);
    if (!one) return;
    const claims = one.claims.filter((claim, at) => at === one.claims.length - 1 || !asked.includes(claim));
    seen.set(name, { ...one, claims });
  }

  return {
    settled(claims) {
      const lasts = new Map(claims.map((claim) => [segmentName(segmentOf(claim)), claim]));
      for (const claim of lasts.values()) see(claim);
    },
    claimsOf: (saleId) => [...seen.values()].filter((one) => one.saleId === saleId).flatMap(({ claims }) => claims),
    compare({ segments, knownClaimIds }, asked) {
      const epochs = new Map(segments.map((segment) => [segmentName(segment), segment.epoch]));
      // One of an older epoch: a rebuild since has had the ledger as it is.
      const isMissed = (claim: Claim) =>
        !knownClaimIds.has(claimId(claim)) && (epochs.get(segmentName(segmentOf(claim))) ?? 0) <= claim.origin.epoch;
      if (asked.some(isMissed)) for (const segment of segments) behind.add(segmentName(segment));
      for (const segment of segments) keepLast(segmentName(segment), asked);
    },
    // An epoch is opened in the ledger before any gate has it.
    isBehind: (segment, view) => behind.has(segmentName(segment)) || (view !== null && view.epoch > segment.epoch),
    caughtUp(segment) {
      behind.delete(segmentName(segment));
      seen.delete(segmentName(segment));
    },
    tell: onBehind,
  };
}
