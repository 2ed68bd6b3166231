/** Reads what the gate knows of a segment: all figures and up to a page of unsettled claims in one moment, the rest in pages. */
import { invariant } from '../../domain/invariant.ts';
import type { SegmentKey } from '../../domain/inventory/quota.ts';
import type { QuotaTotals } from '../../domain/inventory/quota-totals.ts';
import { type Claim, claimId, type Position } from '../../domain/order/claim.ts';
import { SALE_STATES, type SaleTerms } from '../../domain/sale/sale.ts';
import type { SegmentView } from '../../ports/gate.ts';
import { READ } from './commands.ts';
import type { Layout, SegmentPlace } from './layout.ts';
import { readOrigin, readWord, writePosition } from './marks.ts';

/** About a millisecond and a half of the server. */
const PAGE = 500;

const QUOTA_FIELD = 'available:';
const CREDIT_FIELD = 'credit:';
const DEBIT_FIELD = 'debit:';

interface Page {
  readonly meta: readonly string[];
  readonly moves: readonly string[];
  readonly released: readonly string[];
  readonly claims: readonly (readonly string[])[];
  /** Empty when there is no further page. */
  readonly last: string;
}

export async function readSegmentView(layout: Layout, segment: SegmentKey): Promise<SegmentView | null> {
  const place = await layout.placeOf(segment);
  const first = await readPage(place, { from: '-', through: '+' });
  if (!first) return null;
  const meta = new Map<string, string>();
  for (let at = 0; at < first.meta.length; at += 2) meta.set(first.meta[at] ?? '', first.meta[at + 1] ?? '');
  const position: Position = { epoch: numberOf(meta, 'epoch'), seq: numberOf(meta, 'seq') };

  const unsettled = new Map<string, Claim>();
  // What is claimed after the first page is not in its figures.
  const through = writePosition(position);
  for (let page: Page | null = first; page; ) {
    for (const parts of page.claims) {
      const claim = claimOf(segment, parts);
      unsettled.set(claimId(claim), claim);
    }
    page = page.last === '' ? null : await readPage(place, { from: `(${page.last}`, through });
  }

  return {
    segment,
    identity: meta.get('identity') ?? '',
    epoch: position.epoch,
    terms: termsOf(meta),
    availableUnits: unitsOf(meta, QUOTA_FIELD),
    totals: totalsOf(meta),
    unsettled: [...unsettled.values()],
    appliedMoveIds: new Set(movesOf(first.moves, CREDIT_FIELD).keys()),
    debitedUnits: movesOf(first.moves, DEBIT_FIELD),
    releasedClaimIds: new Set(first.released.map((name) => releasedIdOf(segment, name))),
    position,
    generation: numberOf(meta, 'generation'),
  };
}

async function readPage(
  { keys, connection }: SegmentPlace,
  range: { readonly from: string; readonly through: string },
): Promise<Page | null> {
  const reply = await connection.run(READ, { keys, arguments: { ...range, max: PAGE } });
  if (typeof reply === 'string') return null;
  const [meta, moves, released, claims, last] = reply as [string[], string[], string[], string[][], string];
  return { meta, moves, released, claims, last };
}

function claimOf(segment: SegmentKey, parts: readonly string[]): Claim {
  const [orderId = '', units, position = '', channel = '', buyerId = ''] = parts;
  const origin = readOrigin(segment, position, channel);
  return { orderId: readWord(orderId), saleId: segment.saleId, buyerId, units: Number(units), origin };
}

function releasedIdOf(segment: SegmentKey, name: string): string {
  const [orderId = '', position = '', channel = ''] = name.split(' ');
  return claimId({ orderId: readWord(orderId), origin: readOrigin(segment, position, channel) });
}

function termsOf(meta: ReadonlyMap<string, string>): SaleTerms {
  const state = SALE_STATES.find((each) => each === meta.get('state'));
  invariant(state, 'a segment has the state of a sale');
  const limitGroup = meta.get('group');
  return {
    version: numberOf(meta, 'version'),
    state,
    startsAtMs: numberOf(meta, 'starts_ms'),
    endsAtMs: numberOf(meta, 'ends_ms'),
    limitUnits: numberOf(meta, 'limit'),
    ...(limitGroup !== undefined && { limitGroup }),
  };
}

/** By channel, of the fields of one kind. */
function unitsOf(meta: ReadonlyMap<string, string>, kind: string): ReadonlyMap<string, number> {
  const fields = [...meta].filter(([field]) => field.startsWith(kind));
  return new Map(fields.map(([field, units]) => [readWord(field.slice(kind.length)), Number(units)]));
}

/** What has not happened yet has no field. */
function totalsOf(meta: ReadonlyMap<string, string>): ReadonlyMap<string, QuotaTotals> {
  const of = (kind: string) => unitsOf(meta, `${kind}:`);
  const [loaded, credited, released] = [of('loaded'), of('credited'), of('released')];
  const [debited, claimed] = [of('debited'), of('claimed')];
  const totals = [...loaded].map(([channel, units]): [string, QuotaTotals] => [
    channel,
    {
      ...{ loaded: units, credited: credited.get(channel) ?? 0, released: released.get(channel) ?? 0 },
      ...{ debited: debited.get(channel) ?? 0, claimed: claimed.get(channel) ?? 0 },
    },
  ]);
  return new Map(totals);
}

/** Units by move id, of the moves of one kind. */
function movesOf(pairs: readonly string[], kind: string): ReadonlyMap<string, number> {
  const moves = new Map<string, number>();
  for (let at = 0; at < pairs.length; at += 2) {
    const field = pairs[at] ?? '';
    if (field.startsWith(kind)) moves.set(field.slice(kind.length), Number(pairs[at + 1]));
  }
  return moves;
}

function numberOf(meta: ReadonlyMap<string, string>, field: string): number {
  const number = Number(meta.get(field));
  invariant(Number.isFinite(number), `a segment has ${field}`);
  return number;
}
