/**
 * Reads where the units of a sale are. Gate and ledger are two stores; the reading counts only when no claim and no unit
 * moved at the gate while the ledger was read, and no unit became free while the gate was, else it is taken again (P13).
 */
import type { SaleId } from '../domain/ids.ts';
import { derivePlaces } from '../domain/inventory/derive-places.ts';
import { type Places, sumOfPlaces } from '../domain/inventory/place.ts';
import { type SegmentKey, segmentName } from '../domain/inventory/quota.ts';
import { agreesWithTotals } from '../domain/inventory/quota-totals.ts';
import { comparePositions } from '../domain/order/claim.ts';
import type { Clock } from '../ports/clock.ts';
import type { Gate, SegmentView } from '../ports/gate.ts';
import type { InventoryCentre, Stock } from '../ports/inventory-centre.ts';

export interface ReadPlacesDeps {
  readonly gate: Gate;
  readonly inventoryCentre: InventoryCentre;
  readonly clock: Clock;
}

export interface PlacesReading {
  readonly places: Places;
  readonly totalUnits: number;
  /** The places sum to the total, and every gate has what its own running totals say. Only a still reading can be held to it. */
  readonly isBalanced: boolean;
  /** What the places have beyond the total, or lack below zero. */
  readonly surplusUnits: number;
  /** False when units kept moving through every attempt: the figures are of slightly different moments. */
  readonly isStill: boolean;
}

export type ReadPlacesResult =
  | {
      readonly kind: 'read';
      readonly reading: PlacesReading;
      readonly stock: Stock;
      readonly views: readonly SegmentView[];
    }
  /** A segment that has units is not loaded: its gate cannot be read, which is not the same as a difference. */
  | { readonly kind: 'not_read' }
  | { readonly kind: 'absent' };

const ATTEMPTS = 10;
const BETWEEN_ATTEMPTS_MS = 20;

export async function readPlaces(deps: ReadPlacesDeps, saleId: SaleId): Promise<ReadPlacesResult> {
  let known = await deps.inventoryCentre.stock(saleId, []);
  if (!known) return { kind: 'absent' };

  // Nothing is at a gate any more, and none need be there.
  if (known.sale.state === 'settled') return readingOf(known, [], true);

  for (let attempt = 1; ; attempt++) {
    const before = await readGates(deps.gate, known);
    const stock = await deps.inventoryCentre.stock(saleId, before?.flatMap((view) => view.unsettled) ?? []);
    if (!stock) return { kind: 'absent' };
    const after = await readGates(deps.gate, known);
    const isFreeStill: boolean = stock.generation === known.generation;
    const isStill = before !== null && after !== null && isFreeStill && isSameMoment(before, after, stock);
    if (before && (isStill || attempt === ATTEMPTS)) return readingOf(stock, before, isStill);
    if (attempt === ATTEMPTS) return { kind: 'not_read' };
    known = stock;
    await new Promise<void>((resolve) => deps.clock.after(BETWEEN_ATTEMPTS_MS, resolve));
  }
}

function readingOf(stock: Stock, views: readonly SegmentView[], isStill: boolean): ReadPlacesResult {
  const places = derivePlaces(stock, views);
  const totalUnits = stock.centre.totalUnits;
  const surplusUnits = sumOfPlaces(places) - totalUnits;
  const isBalanced = surplusUnits === 0 && views.every(agreesWithTotals);
  const reading = { places, totalUnits, isBalanced, surplusUnits, isStill };
  return { kind: 'read', reading, stock, views };
}

/** Null when a segment with units at its gate is not there, or is what a restarted server remembers of it. */
async function readGates(gate: Gate, stock: Stock): Promise<readonly SegmentView[] | null> {
  const [read, identities] = await Promise.all([
    Promise.all(stock.segments.map((segment) => gate.read(segment))),
    Promise.all(stock.segments.map((segment) => gate.identity(segment))),
  ]);
  const views: SegmentView[] = [];
  for (const [at, segment] of stock.segments.entries()) {
    const view = read[at];
    if (view && view.identity === identities[at]) views.push(view);
    // Epoch 0: never loaded, so nothing was ever at this gate.
    else if (segment.epoch > 0) return null;
  }
  return views;
}

/** A segment that came, went or was loaded anew in between has moved units, whatever its figures are now. */
function isSameMoment(before: readonly SegmentView[], after: readonly SegmentView[], stock: Stock): boolean {
  return stock.segments.every((record) => {
    const earlier = viewOf(before, record);
    const later = viewOf(after, record);
    if (!earlier || !later) return record.epoch === 0 && !earlier && !later;
    return (
      earlier.epoch === record.epoch &&
      later.epoch === record.epoch &&
      later.generation === earlier.generation &&
      comparePositions(later.position, earlier.position) === 0
    );
  });
}

function viewOf(views: readonly SegmentView[], segment: SegmentKey): SegmentView | null {
  return views.find((view) => segmentName(view.segment) === segmentName(segment)) ?? null;
}
