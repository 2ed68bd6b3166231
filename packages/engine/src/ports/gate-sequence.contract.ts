/**
 * Random sequences of gate calls. Nothing here knows how a gate decides: the books are kept from its answers alone, and
 * after every step what it holds must be what they say.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BuyerMark } from '../domain/gate/plan-load.ts';
import { agreesWithTotals } from '../domain/inventory/quota-totals.ts';
import type { ReleaseDestination } from '../domain/ledger/release.ts';
import { type Claim, claimId } from '../domain/order/claim.ts';
import { SALE_STATES, type SaleState } from '../domain/sale/sale.ts';
import type { ClaimRequest, GateCall } from './gate.ts';
import { markOfClaim, type OpenSegment, openSegment, type StoreUnderTest } from './store-fixture.contract.ts';

const SEED = Number(process.env.TEST_SEED ?? Date.now() % 2 ** 31);
const SEQUENCES = Number(process.env.TEST_RUNS ?? 100);
/** Ten thousand calls over a socket, on a machine that has other work. */
const SEQUENCES_TAKE_MS = 240_000;

const LIMIT_UNITS = 3;
const CHANNELS = ['app', 'web'] as const;

type Caller = 'in_time' | 'late' | 'foreign';

type GateStep = { readonly caller: Caller } & (
  | { readonly kind: 'claim'; readonly batch: readonly ClaimRequest[] }
  | {
      readonly kind: 'credit';
      readonly move: number;
      readonly channel: string;
      readonly units: number;
      readonly epochOffset: number;
    }
  /** The claims are numbered as they were made; the remainder counts. */
  | {
      readonly kind: 'release';
      readonly claim: number;
      readonly epochOffset: number;
      readonly destination: ReleaseDestination;
    }
  | {
      readonly kind: 'debit';
      readonly move: number;
      readonly channel: string;
      readonly units: number | null;
      readonly epochOffset: number;
    }
  | { readonly kind: 'markSettled'; readonly claims: readonly number[] }
  | { readonly kind: 'setTerms'; readonly state: SaleState; readonly epochOffset: number }
  | { readonly kind: 'load'; readonly epochOffset: number; readonly units: number }
);

const small = (max: number) => fc.nat({ max });
// Mostly the segment's own.
const epochOffset = fc.constantFrom(0, 0, 0, 0, 0, 0, -1, 1);

const claimRequest: fc.Arbitrary<ClaimRequest> = fc.record({
  orderId: small(11).map((number) => `order-${number}`),
  buyerId: fc.constant(''),
  channel: fc.constantFrom(...CHANNELS, ...CHANNELS, 'absent'),
  units: fc.integer({ min: 1, max: LIMIT_UNITS }),
});

// An order is always one buyer's: the token says so.
const request = claimRequest.map((each) => ({ ...each, buyerId: `buyer-${Number(each.orderId.slice(6)) % 4}` }));

const step: fc.Arbitrary<GateStep> = fc
  .tuple(
    fc.constantFrom<Caller>('in_time', 'in_time', 'in_time', 'in_time', 'in_time', 'late', 'foreign'),
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({ kind: fc.constant('claim' as const), batch: fc.array(request, { maxLength: 6 }) }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant('credit' as const),
          move: small(3),
          channel: fc.constantFrom(...CHANNELS, 'absent'),
          units: fc.integer({ min: 1, max: 4 }),
          epochOffset,
        }),
      },
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constant('release' as const),
          claim: small(99),
          epochOffset,
          destination: fc.constantFrom('quota' as const, 'quota' as const, 'centre' as const),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant('debit' as const),
          move: small(3),
          channel: fc.constantFrom(...CHANNELS, 'absent'),
          units: fc.option(fc.integer({ min: 1, max: 4 })),
          epochOffset,
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant('markSettled' as const),
          claims: fc.array(small(99), { maxLength: 4 }),
        }),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constant('setTerms' as const),
          state: fc.constantFrom('live', 'live', ...SALE_STATES),
          epochOffset,
        }),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constant('load' as const),
          epochOffset: fc.constantFrom(-1, 0, 1, 1, 2),
          units: small(6),
        }),
      },
    ),
  )
  .map(([caller, each]) => ({ caller, ...each }));

const gateSequence: fc.Arbitrary<readonly GateStep[]> = fc.array(step, {
  minLength: 1,
  maxLength: 60,
  // Else most have ten steps, and nothing comes twice.
  size: 'max',
});

/** What the answers say. */
interface Books {
  epoch: number;
  /** Loaded and credited, by channel; claims that were live at the load are counted in. */
  readonly broughtUnits: Map<string, number>;
  /** All claims made, of all epochs; the queue keeps them all, as nobody removes any. */
  readonly made: Claim[];
  /** Those that the segment knows and that were not released. */
  readonly live: Map<string, Claim>;
  readonly unsettledIds: Set<string>;
  readonly releasedIds: Set<string>;
  readonly moveIds: Set<string>;
  readonly debited: Map<string, number>;
}

export function gateSequenceContract(store: () => StoreUnderTest): void {
  test(
    'conserves units and holds every buyer to the limit on any sequence',
    async () => {
      await fc.assert(
        fc.asyncProperty(gateSequence, async (steps) => {
          const units = new Map([
            ['app', 2],
            ['web', 5],
          ]);
          const segment = await openSegment(store(), { availableUnits: units, terms: { limitUnits: LIMIT_UNITS } });
          const books: Books = {
            epoch: 1,
            broughtUnits: units,
            made: [],
            live: new Map(),
            unsettledIds: new Set(),
            releasedIds: new Set(),
            moveIds: new Set(),
            debited: new Map(),
          };
          // Of the same sale, with the same channels: nothing that is done beside it touches it.
          const key = { ...segment.key, segment: 1 };
          const beside = await openSegment(store(), { segment: key, availableUnits: units });
          const untouched = await beside.view();
          for (const each of steps) await run(store(), { segment, books, step: each });
          expect(await beside.view()).toEqual(untouched);
        }),
        { seed: SEED, numRuns: SEQUENCES },
      );
    },
    SEQUENCES_TAKE_MS,
  );
}

interface Turn {
  readonly segment: OpenSegment;
  readonly books: Books;
  readonly step: GateStep;
}

async function run(store: StoreUnderTest, turn: Turn): Promise<void> {
  const { segment, books } = turn;
  const before = await segment.view();
  const call = await callOf(store, turn);
  const changed = await apply(store, turn, call);
  const after = await segment.view();
  if (turn.step.caller !== 'in_time') expect(changed).toBe(false);
  // What changed nothing that can be claimed leaves the generation alone; what brought units raises it.
  if (!changed) expect(after).toEqual(before);
  const claimable = (view: typeof after) => [...view.availableUnits].reduce((sum, [, units]) => sum + units, 0);
  if (claimable(after) > claimable(before)) expect(after.generation).toBeGreaterThan(before.generation);
  check(books, after);
  expect(agreesWithTotals(after)).toBe(true);
  expect(await segment.queued()).toEqual(books.made.map(claimId));
}

function check(books: Books, view: Awaited<ReturnType<OpenSegment['view']>>): void {
  for (const channelName of CHANNELS) {
    const available = view.availableUnits.get(channelName) ?? Number.NaN;
    const live = [...books.live.values()].filter((claim) => claim.origin.channel === channelName);
    expect(available).toBeGreaterThanOrEqual(0);
    expect(available + unitsOf(live)).toBe(books.broughtUnits.get(channelName));
  }
  for (const buyerId of new Set(books.made.map((claim) => claim.buyerId))) {
    const live = [...books.live.values()].filter((claim) => claim.buyerId === buyerId);
    expect(unitsOf(live)).toBeLessThanOrEqual(LIMIT_UNITS);
  }
  const liveOrderIds = [...books.live.values()].map((claim) => claim.orderId);
  expect(new Set(liveOrderIds).size).toBe(liveOrderIds.length);
  expect(view.epoch).toBe(books.epoch);
  expect(new Set(view.unsettled.map(claimId))).toEqual(books.unsettledIds);
  expect(view.releasedClaimIds).toEqual(books.releasedIds);
  expect(view.appliedMoveIds).toEqual(books.moveIds);
  expect(view.debitedUnits).toEqual(books.debited);
}

async function callOf(store: StoreUnderTest, { segment, step: { caller } }: Turn): Promise<GateCall> {
  if (caller === 'late') return segment.call({ deadlineMs: (await store.nowMs()) - 1 });
  if (caller === 'foreign') return segment.call({ identity: 'another' });
  return segment.call();
}

/** Makes the call and writes its answer into the books; true when the answer says that something changed. */
async function apply(store: StoreUnderTest, turn: Turn, call: GateCall): Promise<boolean> {
  const { books, segment, step: each } = turn;
  switch (each.kind) {
    case 'claim':
      return applyClaim(store, turn, call, each.batch);
    case 'credit': {
      const { move, channel: channelName, units } = each;
      const moveId = `move-${move}`;
      const epoch = books.epoch + each.epochOffset;
      const answer = await store.gate.credit(call, { moveId, epoch, channel: channelName, units });
      if (answer === 'repeated') expect(books.moveIds).toContain(moveId);
      if (answer !== 'credited') return false;
      expect(each.epochOffset).toBe(0);
      expect(books.moveIds).not.toContain(moveId);
      books.moveIds.add(moveId);
      bring(books, channelName, units);
      return true;
    }
    case 'release': {
      const claim = books.made[each.claim % Math.max(1, books.made.length)];
      if (!claim) return false;
      const answer = await store.gate.release(call, claim, books.epoch + each.epochOffset, each.destination);
      if (answer === 'repeated') expect(books.releasedIds).toContain(claimId(claim));
      if (answer !== 'released') return false;
      expect(each.epochOffset).toBe(0);
      expect(books.live.delete(claimId(claim))).toBe(true);
      books.unsettledIds.delete(claimId(claim));
      books.releasedIds.add(claimId(claim));
      if (each.destination === 'centre') bring(books, claim.origin.channel, -claim.units);
      return true;
    }
    case 'debit': {
      const { channel: channelName, units } = each;
      const moveId = `back-${each.move}`;
      const epoch = books.epoch + each.epochOffset;
      const before = (await segment.view()).availableUnits.get(channelName) ?? 0;
      const answer = await store.gate.debit(call, { moveId, epoch, channel: channelName, units });
      if (typeof answer === 'string') return false;
      expect(each.epochOffset).toBe(0);
      if (answer.kind === 'repeated') expect(answer.units).toBe(books.debited.get(moveId));
      if (answer.kind === 'repeated') return false;
      expect(books.debited.has(moveId)).toBe(false);
      expect(answer.units).toBe(Math.min(units ?? before, before));
      books.debited.set(moveId, answer.units);
      bring(books, channelName, -answer.units);
      return true;
    }
    case 'markSettled': {
      const claims = each.claims.flatMap((number) => books.made[number % Math.max(1, books.made.length)] ?? []);
      if ((await store.gate.markSettled(call, claims)) !== 'marked') return false;
      return claims.map((claim) => books.unsettledIds.delete(claimId(claim))).some(Boolean);
    }
    case 'setTerms': {
      const terms = { ...segment.terms, state: each.state };
      const answer = await store.gate.setTerms(call, terms, books.epoch + each.epochOffset);
      return answer === 'set' && each.epochOffset === 0;
    }
    case 'load':
      return applyLoad(store, turn, call, each);
  }
}

async function applyClaim(
  store: StoreUnderTest,
  turn: Turn,
  call: GateCall,
  batch: readonly ClaimRequest[],
): Promise<boolean> {
  const { books } = turn;
  const outcomes = await store.gate.claim(call, batch);
  expect(outcomes).toHaveLength(batch.length);
  let changed = false;
  for (const [at, outcome] of outcomes.entries()) {
    const wanted = batch[at];
    if (outcome.kind === 'replayed') {
      expect(outcome.mark).toMatchObject({ orderId: wanted?.orderId, units: wanted?.units });
      expect(books.made.map(claimId)).toContain(claimId(outcome.mark));
    }
    if (outcome.kind !== 'claimed') continue;
    changed = true;
    const { claim } = outcome;
    expect(claim).toMatchObject({ orderId: wanted?.orderId, buyerId: wanted?.buyerId, units: wanted?.units });
    expect(claim.origin).toMatchObject({ channel: wanted?.channel, epoch: books.epoch });
    books.made.push(claim);
    books.live.set(claimId(claim), claim);
    books.unsettledIds.add(claimId(claim));
  }
  return changed;
}

/** As a rebuild does: the marks are those of the books, what is available is new. */
async function applyLoad(
  store: StoreUnderTest,
  { books, segment }: Turn,
  call: GateCall,
  { epochOffset: offset, units }: { readonly epochOffset: number; readonly units: number },
): Promise<boolean> {
  const marks = books.made.flatMap((claim): BuyerMark[] => {
    const id = claimId(claim);
    if (books.live.has(id)) return [markOfClaim(claim, books.unsettledIds.has(id) ? 'claimed' : 'settled')];
    return books.releasedIds.has(id) ? [markOfClaim(claim, 'ended')] : [];
  });
  const availableUnits = new Map(CHANNELS.map((name, index) => [name, units + index]));
  const load = { segment: segment.key, epoch: books.epoch + offset, terms: segment.terms, availableUnits, marks };
  if ((await store.gate.load(call, load)) !== 'loaded') return false;
  expect(offset).toBeGreaterThan(0);
  books.epoch += offset;
  books.moveIds.clear();
  books.debited.clear();
  for (const [name, available] of availableUnits) {
    const live = [...books.live.values()].filter((claim) => claim.origin.channel === name);
    books.broughtUnits.set(name, available + unitsOf(live));
  }
  return true;
}

function bring(books: Books, channelName: string, units: number): void {
  books.broughtUnits.set(channelName, (books.broughtUnits.get(channelName) ?? Number.NaN) + units);
}

function unitsOf(claims: readonly Claim[]): number {
  return claims.reduce((sum, claim) => sum + claim.units, 0);
}
