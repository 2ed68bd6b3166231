/**
 * The auditor's own books: every unit by the id that moved it last. Kept from what the stores were seen to do, call by call;
 * none of the engine's sums, counters or predicates is used, so that none of its errors is repeated here.
 */
import type { Quota, QuotaKey, SegmentKey } from '../domain/inventory/quota.ts';
import type { Claim, Origin, Position } from '../domain/order/claim.ts';
import type { OrderState } from '../domain/order/order.ts';
import type { PaymentNotice, PaymentState } from '../domain/order/payment.ts';
import type { SaleDraft, SaleState } from '../domain/sale/sale.ts';

export interface MoveRecord {
  readonly id: string;
  readonly quota: string;
  readonly units: number;
  /** `absorbed`: a rebuild has it in its load. */
  state: 'inTransit' | 'arrived' | 'absorbed';
}

export interface ReturnRecord {
  readonly id: string;
  readonly quota: string;
  /** Null: all there are. */
  readonly wanted: number | null;
  /** What the gate gave. */
  units: number;
  /** `void`: a rebuild has what it may have debited in its load. */
  state: 'issued' | 'debited' | 'finished' | 'void';
}

export interface ClaimRecord {
  readonly id: string;
  readonly claim: Claim;
  readonly segment: string;
  readonly quota: string;
  /**
   * `open`: taken at the gate, unknown to the ledger. `void`: a rebuild has put its units back before the ledger knew of it.
   * `ordered`: its units are the order's. `returning`: on its way back, after a claim or an order that ended. `ending`: its
   * units are the centre's already, and its gate is to be told. `over`: it has no units any more.
   */
  state: 'open' | 'void' | 'ordered' | 'returning' | 'ending' | 'over';
}

export interface OrderRecord {
  readonly orderId: string;
  readonly buyerId: string;
  readonly units: number;
  readonly settledAtMs: number;
  state: OrderState;
  /** The claim that it has, or had last. */
  claimId: string;
  quota: string;
  /** Every claim that it ever had, and every state with the moment that it came; oldest first. */
  readonly claimIds: string[];
  readonly states: { readonly state: OrderState; readonly atMs: number }[];
}

export interface PaymentRecord {
  readonly notice: PaymentNotice;
  /** As the ledger was last seen to have it. */
  state: PaymentState;
  /** It was late money once: a claim for it may come as long as calls are on their way. */
  isLate: boolean;
}

export interface SegmentBook {
  readonly name: string;
  /** As the ledger has it. */
  epoch: number;
  readonly cuts: { readonly epoch: number; readonly through: Position }[];
  /** What the load of the newest epoch must put into each quota, worked out at the moment that the epoch was opened. */
  readonly dueAtLoad: Map<string, number>;
  /** What is loaded on the server that is there now. */
  gate: { readonly identity: string; readonly epoch: number; readonly available: Map<string, number> } | null;
}

export interface Books {
  draft: SaleDraft | null;
  /** Changes with stock that comes and leaves. */
  totalUnits: number;
  saleState: SaleState;
  /** How often units were seen to become free. */
  freedTimes: number;
  readonly returns: Map<string, ReturnRecord>;
  /** By quota: units that have gone from it to the centre. */
  readonly returned: Map<string, number>;
  readonly segments: Map<string, SegmentBook>;
  readonly moves: Map<string, MoveRecord>;
  readonly claims: Map<string, ClaimRecord>;
  /** The same, by order id: a token may have claimed more than once, if gates were lost. */
  readonly claimsOfOrder: Map<string, ClaimRecord[]>;
  readonly orders: Map<string, OrderRecord>;
  /** What the ledger was told of money, by order id, oldest first. */
  readonly payments: Map<string, PaymentRecord[]>;
  /** Cancels that wait for their order: by whom; null is the operator. */
  readonly parkedCancels: Map<string, string | null>;
  /** Orders whose points are due back, whatever is heard of them. */
  readonly givenUpCharges: Set<string>;
}

export function openBooks(): Books {
  return {
    ...{ draft: null, segments: new Map(), moves: new Map() },
    ...{ totalUnits: 0, saleState: 'draft', freedTimes: 0, returns: new Map(), returned: new Map() },
    ...{
      claims: new Map(),
      claimsOfOrder: new Map(),
      orders: new Map(),
      payments: new Map(),
      parkedCancels: new Map(),
      givenUpCharges: new Set(),
    },
  };
}

export function nameOfSegment({ saleId, region, segment }: SegmentKey): string {
  return `${saleId} ${region} ${segment}`;
}

export function nameOfQuota(key: QuotaKey | Quota): string {
  return `${nameOfSegment(key)} ${key.channel}`;
}

export function nameOfClaim(orderId: string, origin: Origin): string {
  return `${orderId}/${origin.region}/${origin.segment}/${origin.channel}/${origin.epoch}/${origin.seq}`;
}

export function recordOf(claim: Claim): ClaimRecord {
  const { region, segment, channel } = claim.origin;
  const key = { saleId: claim.saleId, region, segment, channel };
  return {
    id: nameOfClaim(claim.orderId, claim.origin),
    claim,
    segment: nameOfSegment(key),
    quota: nameOfQuota(key),
    state: 'open',
  };
}

export function addClaim(books: Books, record: ClaimRecord): void {
  books.claims.set(record.id, record);
  const { orderId } = record.claim;
  const own = books.claimsOfOrder.get(orderId);
  if (own) own.push(record);
  else books.claimsOfOrder.set(orderId, [record]);
}

export function claimsOf(books: Books, orderId: string): readonly ClaimRecord[] {
  return books.claimsOfOrder.get(orderId) ?? [];
}

/** Whether a claim's units were put back by some rebuild after it: it lies beyond a later cut. */
export function isBeyondCut(segment: SegmentBook, position: Position): boolean {
  return segment.cuts.some(({ epoch, through }) => {
    const isLater = position.epoch > through.epoch || (position.epoch === through.epoch && position.seq > through.seq);
    return position.epoch < epoch && isLater;
  });
}

/** Where the units of one quota are, by the books; `available` is null while no gate has the newest epoch. */
export interface QuotaSheet {
  readonly allotted: number;
  readonly available: number | null;
  readonly claimed: number;
  readonly inTransit: number;
  readonly held: number;
  readonly sold: number;
}

/** What an order does with its units, as the product's papers say it; not as the engine's table does. */
export function accountOf({ state }: Pick<OrderRecord, 'state'>): 'held' | 'sold' | null {
  if (state === 'pending') return 'held';
  return state === 'paid' || state === 'fulfilled' ? 'sold' : null;
}

export function hasUnits(order: OrderRecord): boolean {
  return accountOf(order) !== null;
}

export function paymentsOf(books: Books, orderId: string): readonly PaymentRecord[] {
  return books.payments.get(orderId) ?? [];
}

export function sheetOf(books: Books, segment: SegmentBook, quota: string): QuotaSheet {
  const sheet = { allotted: 0, available: null as number | null, claimed: 0, inTransit: 0, held: 0, sold: 0 };
  for (const move of books.moves.values()) {
    if (move.quota !== quota) continue;
    sheet.allotted += move.units;
    if (move.state === 'inTransit') sheet.inTransit += move.units;
  }
  sheet.allotted -= books.returned.get(quota) ?? 0;
  for (const move of books.returns.values()) {
    if (move.quota === quota && move.state === 'debited') sheet.inTransit += move.units;
  }
  for (const { quota: own, state, claim } of books.claims.values()) {
    if (own !== quota) continue;
    if (state === 'open') sheet.claimed += claim.units;
    if (state === 'returning') sheet.inTransit += claim.units;
  }
  for (const order of books.orders.values()) {
    const account = order.quota === quota ? accountOf(order) : null;
    if (account !== null) sheet[account] += order.units;
  }
  if (segment.gate?.epoch === segment.epoch) sheet.available = segment.gate.available.get(quota) ?? 0;
  return sheet;
}

/** Units that some buyer could still get now or soon: neither in an order nor in a claim that may become one. */
export function unclaimedUnits(books: Books): number {
  let units = books.totalUnits;
  for (const order of books.orders.values()) if (hasUnits(order)) units -= order.units;
  for (const { state, claim } of books.claims.values()) if (state === 'open') units -= claim.units;
  return units;
}

/** Units of a buyer in live orders and in claims that may become one. */
export function unitsOfBuyer(books: Books, buyerId: string): number {
  let units = 0;
  for (const order of books.orders.values()) if (hasUnits(order) && order.buyerId === buyerId) units += order.units;
  for (const { state, claim } of books.claims.values()) {
    if (state === 'open' && claim.buyerId === buyerId) units += claim.units;
  }
  return units;
}

/** The engine names claims, releases and receipts in its own way; the parts of the name are what we know. */
export function isNamed({ claim }: ClaimRecord, engineName: string): boolean {
  const { epoch, seq } = claim.origin;
  return engineName.startsWith(`${claim.orderId}@`) && engineName.endsWith(`/${epoch}-${seq}`);
}

/** The quotas of a segment, by name. */
export function quotasOf(books: Books, segment: SegmentBook): readonly string[] {
  const names = new Set([...(segment.gate?.available.keys() ?? []), ...segment.dueAtLoad.keys()]);
  for (const { quota } of books.moves.values()) if (quota.startsWith(`${segment.name} `)) names.add(quota);
  return [...names];
}

export function addTo(figures: Map<string, number>, name: string, units: number): void {
  figures.set(name, (figures.get(name) ?? 0) + units);
}

/** Where what becomes nobody's goes, as the product's papers say it. Null: nowhere, a settled sale has no gates. */
export function wayBackOf({ saleState }: Books): 'quota' | 'centre' | null {
  if (saleState === 'settled') return null;
  return saleState === 'closed' ? 'centre' : 'quota';
}
