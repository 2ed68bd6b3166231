/** What the contracts of gate and queue share: a server to run over, and short ways to open a segment and to claim. */
import type { BuyerMark } from '../domain/gate/plan-load.ts';
import type { SegmentKey } from '../domain/inventory/quota.ts';
import type { ReleaseDestination } from '../domain/ledger/release.ts';
import { type Claim, claimId } from '../domain/order/claim.ts';
import type { SaleTerms } from '../domain/sale/sale.ts';
import type { ClaimOutcome, ClaimRequest, Gate, GateCall, SegmentView } from './gate.ts';
import type { Queue } from './queue.ts';

/** One server that is gate and queue at once. */
export interface StoreUnderTest {
  readonly gate: Gate;
  readonly queue: Queue;
  /** The server's clock. It stands still but for `pass`. */
  nowMs(): Promise<number>;
  /** Wall clock and monotonic clock go on together. */
  pass(ms: number): Promise<void>;
  /** A restart without persistence: another identity, and nothing kept. */
  lose(): Promise<void>;
  close(): Promise<void>;
}

/** An adapter under test; every test opens an empty server. */
export interface StoreSubject {
  readonly name: string;
  open(): Promise<StoreUnderTest>;
}

export const CHANNEL = 'web';
export const CALL_MS = 1000;
export const MINUTE_MS = 60_000;

export interface SegmentOptions {
  readonly segment?: SegmentKey;
  readonly epoch?: number;
  /** For CHANNEL; `availableUnits` for several. */
  readonly units?: number;
  readonly availableUnits?: ReadonlyMap<string, number>;
  readonly marks?: readonly BuyerMark[];
  readonly terms?: Partial<SaleTerms>;
}

/** A loaded segment, and the calls on it as somebody makes them who has just met the server. */
export interface OpenSegment {
  readonly key: SegmentKey;
  readonly terms: SaleTerms;
  call(changes?: Partial<GateCall>): Promise<GateCall>;
  claim(requests: readonly ClaimRequest[]): Promise<readonly ClaimOutcome[]>;
  claimOne(request: ClaimRequest): Promise<ClaimOutcome>;
  /** For a request that must win. */
  win(request: ClaimRequest): Promise<Claim>;
  load(options: SegmentOptions): ReturnType<Gate['load']>;
  credit(
    moveId: string,
    units: number,
    changes?: { readonly epoch?: number; readonly channel?: string },
  ): ReturnType<Gate['credit']>;
  debit(
    moveId: string,
    units: number | null,
    changes?: { readonly epoch?: number; readonly channel?: string },
  ): ReturnType<Gate['debit']>;
  release(claim: Claim, epoch?: number, destination?: ReleaseDestination): ReturnType<Gate['release']>;
  setTerms(changes: Partial<SaleTerms>, epoch?: number): ReturnType<Gate['setTerms']>;
  view(): Promise<SegmentView>;
  available(channel?: string): Promise<number | undefined>;
  /** Ids of the claims in the queue. */
  queued(): Promise<readonly string[]>;
}

let lastSaleNumber = 0;

export function newSegment(): SegmentKey {
  lastSaleNumber += 1;
  return { saleId: `sale-${lastSaleNumber}`, region: 'main', segment: 0 };
}

let lastOrderNumber = 0;

/** One unit for a buyer of its own. */
export function request(changes: Partial<ClaimRequest> = {}): ClaimRequest {
  lastOrderNumber += 1;
  return {
    orderId: `order-${lastOrderNumber}`,
    buyerId: `buyer-${lastOrderNumber}`,
    channel: CHANNEL,
    units: 1,
    ...changes,
  };
}

export function requests(count: number, changes: Partial<ClaimRequest> = {}): ClaimRequest[] {
  return Array.from({ length: count }, () => request(changes));
}

export function kindsOf(outcomes: readonly ClaimOutcome[]): readonly string[] {
  return outcomes.map((outcome) => outcome.kind);
}

export function claimsOf(outcomes: readonly ClaimOutcome[]): Claim[] {
  return outcomes.flatMap((outcome) => (outcome.kind === 'claimed' ? [outcome.claim] : []));
}

export function markOfClaim(claim: Claim, state: BuyerMark['state']): BuyerMark {
  return { buyerId: claim.buyerId, orderId: claim.orderId, units: claim.units, origin: claim.origin, state };
}

/** Live, since a minute, for an hour; two units for a buyer. */
export async function termsOfTest(store: StoreUnderTest, changes: Partial<SaleTerms> = {}): Promise<SaleTerms> {
  const nowMs = await store.nowMs();
  const window = { startsAtMs: nowMs - MINUTE_MS, endsAtMs: nowMs + 60 * MINUTE_MS };
  return { version: 1, state: 'live', ...window, limitUnits: 2, ...changes };
}

export async function openSegment(store: StoreUnderTest, options: SegmentOptions = {}): Promise<OpenSegment> {
  const segment = segmentOn(store, options.segment ?? newSegment(), await termsOfTest(store, options.terms));
  const answer = await segment.load(options);
  if (answer !== 'loaded') throw new Error(`the segment was not loaded: ${answer}`);
  return segment;
}

/** Without loading it. */
export function segmentOn(store: StoreUnderTest, key: SegmentKey, terms: SaleTerms): OpenSegment {
  const { gate, queue } = store;
  const call: OpenSegment['call'] = async (changes = {}) => ({
    segment: key,
    identity: await gate.identity(key, terms.limitGroup),
    deadlineMs: (await store.nowMs()) + CALL_MS,
    ...changes,
  });
  const claimOne: OpenSegment['claimOne'] = async (wanted) => {
    const [outcome] = await gate.claim(await call(), [wanted]);
    if (!outcome) throw new Error('a claim was not answered');
    return outcome;
  };
  const view: OpenSegment['view'] = async () => {
    const found = await gate.read(key);
    if (!found) throw new Error('the segment is gone');
    return found;
  };

  return {
    key,
    terms,
    call,
    claimOne,
    view,
    claim: async (wanted) => gate.claim(await call(), wanted),
    async win(wanted) {
      const outcome = await claimOne(wanted);
      if (outcome.kind !== 'claimed') throw new Error(`the claim was answered ${outcome.kind}`);
      return outcome.claim;
    },
    async load({
      epoch = 1,
      units = 10,
      availableUnits = new Map([[CHANNEL, units]]),
      marks = [],
      terms: changes = {},
    }) {
      return gate.load(await call(), { segment: key, epoch, terms: { ...terms, ...changes }, availableUnits, marks });
    },
    credit: async (moveId, units, { epoch = 1, channel = CHANNEL } = {}) =>
      gate.credit(await call(), { moveId, units, epoch, channel }),
    debit: async (moveId, units, { epoch = 1, channel = CHANNEL } = {}) =>
      gate.debit(await call(), { moveId, units, epoch, channel }),
    release: async (claim, epoch = 1, destination = 'quota') => gate.release(await call(), claim, epoch, destination),
    setTerms: async (changes, epoch = 1) => gate.setTerms(await call(), { ...terms, ...changes }, epoch),
    available: async (channel = CHANNEL) => (await view()).availableUnits.get(channel),
    queued: async () => (await queue.peek(key)).map((entry) => claimId(entry.claim)),
  };
}
