/**
 * Derives the places of a sale's units from what ledger and gates say. What both know is known by id and counted once, in
 * the later place, so that a moment between the two readings is not a difference.
 */
import type { Release } from '../ledger/release.ts';
import { type Claim, claimId } from '../order/claim.ts';
import type { Move, ReturnMove } from './move.ts';
import type { Places } from './place.ts';
import type { Quota } from './quota.ts';

/** The ledger's side. */
export interface LedgerSide {
  readonly centre: { readonly freeUnits: number };
  readonly quotas: readonly Quota[];
  readonly openMoves: readonly Move[];
  readonly openReturns: readonly ReturnMove[];
  readonly openReleases: readonly Release[];
  readonly knownClaimIds: ReadonlySet<string>;
}

/** One gate's side. */
export interface GateSide {
  readonly availableUnits: ReadonlyMap<string, number>;
  readonly unsettled: readonly Claim[];
  readonly appliedMoveIds: ReadonlySet<string>;
  /** What it has debited, by move id. */
  readonly debitedUnits: ReadonlyMap<string, number>;
  readonly releasedClaimIds: ReadonlySet<string>;
}

export function derivePlaces(ledger: LedgerSide, gates: readonly GateSide[]): Places {
  const isApplied = (id: string) => gates.some((gate) => gate.appliedMoveIds.has(id));
  const isReleased = (id: string) => gates.some((gate) => gate.releasedClaimIds.has(id));
  // A release to the centre has given its units in the ledger already; the gate is only told.
  const returning = ledger.openReleases.filter((release) => release.destination === 'quota' && !isReleased(release.id));
  // Before the gate has debited it, a return has moved nothing.
  const debited = (move: ReturnMove) => sum(gates.map((gate) => gate.debitedUnits.get(move.id) ?? 0));
  const unsettled = gates.flatMap((gate) => gate.unsettled);

  return {
    free: ledger.centre.freeUnits,
    available: sum(gates.flatMap((gate) => [...gate.availableUnits.values()])),
    claimed: unitsOf(unsettled.filter((claim) => !ledger.knownClaimIds.has(claimId(claim)))),
    inTransit:
      unitsOf(ledger.openMoves.filter((move) => !isApplied(move.id))) +
      sum(ledger.openReturns.map(debited)) +
      unitsOf(returning),
    held: sum(ledger.quotas.map((quota) => quota.heldUnits)),
    sold: sum(ledger.quotas.map((quota) => quota.soldUnits)),
    quarantined: sum(ledger.quotas.map((quota) => quota.quarantinedUnits)),
  };
}

function unitsOf(items: readonly { readonly units: number }[]): number {
  return sum(items.map((item) => item.units));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
