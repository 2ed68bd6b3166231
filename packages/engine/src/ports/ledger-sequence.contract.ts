/**
 * Random sequences of ledger calls. A step names its claims and moves by small numbers, so that sequences shrink well and
 * the same one runs over any ledger: after every step the laws must hold, and two ledgers must answer alike.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Quota, quotaName, segmentName } from '../domain/inventory/quota.ts';
import type { SettlementOutcome } from '../domain/ledger/decide-settlement.ts';
import { BEFORE_ALL, type Claim, claimId } from '../domain/order/claim.ts';
import { isLive, type Order } from '../domain/order/order.ts';
import { SALE_OPERATIONS, type SaleOperation } from '../domain/sale/operation.ts';
import type { Stock } from './inventory-centre.ts';
import type { Ledger } from './ledger.ts';
import {
  brokenLaws,
  faultOf,
  newDraft,
  openSale,
  QUOTAS,
  quotaKey,
  REGION,
  stockOf,
} from './ledger-fixture.contract.ts';

const SEED = Number(process.env.TEST_SEED ?? Date.now() % 2 ** 31);
const SEQUENCES = Number(process.env.TEST_RUNS ?? 30);

/** Few, so that they meet. */
const ORDERS = 16;

type ClaimSpec =
  | {
      readonly kind: 'new';
      readonly order: number;
      readonly buyer: number;
      readonly quota: number;
      readonly units: number;
      /** From the segment's epoch. */
      readonly epochOffset: number;
    }
  /** One that was made before; delivered again. */
  | { readonly kind: 'again'; readonly claim: number }
  /** Another order at the position of an earlier claim: no honest gate does it. */
  | { readonly kind: 'clash'; readonly claim: number; readonly order: number };

type Step =
  | { readonly kind: 'operate'; readonly operation: SaleOperation }
  | { readonly kind: 'allot'; readonly move: number; readonly quota: number; readonly units: number }
  | { readonly kind: 'finishMove'; readonly move: number }
  /** `beside`: claims of the other sale in the same group. */
  | { readonly kind: 'settle'; readonly group: readonly ClaimSpec[]; readonly beside: readonly ClaimSpec[] }
  | { readonly kind: 'finishRelease'; readonly claim: number }
  | { readonly kind: 'issueReturn'; readonly move: number; readonly quota: number; readonly units: number | null }
  | { readonly kind: 'finishReturn'; readonly move: number; readonly units: number }
  | { readonly kind: 'receive'; readonly delivery: number; readonly units: number }
  | { readonly kind: 'withdraw'; readonly attempt: number; readonly delivery: number; readonly units: number }
  | { readonly kind: 'closeWithdrawal'; readonly attempt: number }
  | { readonly kind: 'cancel'; readonly order: number }
  | { readonly kind: 'pay'; readonly order: number; readonly outcome: 'paid' | 'refunded'; readonly reference: number }
  /** `isConfirmed`: the gates have the epochs that they should have. */
  | { readonly kind: 'settleSale'; readonly isConfirmed: boolean }
  | { readonly kind: 'quarantine'; readonly claim: ClaimSpec }
  | {
      readonly kind: 'openEpoch';
      readonly segment: number;
      readonly fromOffset: number;
      /** The claim whose position is the cut; null: nothing could be read. */
      readonly cut: number | null;
      readonly queued: readonly number[];
    };

type BackStep = Extract<
  Step,
  { kind: `${'issue' | 'finish'}Return` | 'receive' | 'withdraw' | 'closeWithdrawal' | 'cancel' | 'pay' | 'settleSale' }
>;

export interface Sequence {
  readonly totalUnits: number;
  readonly limitUnits: number;
  /** Whether the two sales share the limit. */
  readonly isGrouped: boolean;
  /** Whether they sell from the start. */
  readonly isOpen: boolean;
  readonly steps: readonly SaleStep[];
}

interface SaleStep {
  readonly sale: 0 | 1;
  readonly step: Step;
}

const small = (max: number) => fc.nat({ max });
const claimSpec: fc.Arbitrary<ClaimSpec> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('new' as const),
      order: small(ORDERS - 1),
      buyer: small(2),
      // Mostly the one that has units from the start.
      quota: fc.constantFrom(0, 0, 1, 2),
      units: fc.integer({ min: 1, max: 3 }),
      epochOffset: fc.constantFrom(0, 0, 0, 0, -1, 1),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('again' as const), claim: small(30) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('clash' as const), claim: small(30), order: small(ORDERS - 1) }),
  },
);

const OPERATIONS = Object.keys(SALE_OPERATIONS) as SaleOperation[];

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('operate' as const), operation: fc.constantFrom(...OPERATIONS) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('allot' as const),
      move: small(9),
      quota: small(2),
      units: fc.integer({ min: 1, max: 9 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('finishMove' as const), move: small(9) }) },
  {
    weight: 7,
    arbitrary: fc.record({
      kind: fc.constant('settle' as const),
      group: fc.array(claimSpec, { maxLength: 6 }),
      beside: fc.array(claimSpec, { maxLength: 2 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('finishRelease' as const), claim: small(30) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('quarantine' as const), claim: claimSpec }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('issueReturn' as const),
      move: small(4),
      quota: small(2),
      units: fc.option(fc.integer({ min: 1, max: 9 })),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('finishReturn' as const), move: small(4), units: small(9) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('receive' as const),
      delivery: small(3),
      units: fc.integer({ min: 1, max: 9 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('withdraw' as const),
      attempt: small(5),
      delivery: small(3),
      units: fc.integer({ min: 1, max: 9 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('closeWithdrawal' as const), attempt: small(5) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('cancel' as const), order: small(ORDERS - 1) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('pay' as const),
      order: small(ORDERS - 1),
      outcome: fc.constantFrom('paid' as const, 'paid' as const, 'refunded' as const),
      reference: small(1),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('settleSale' as const), isConfirmed: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('openEpoch' as const),
      segment: small(1),
      fromOffset: fc.constantFrom(0, 0, 0, -1),
      cut: fc.option(small(30)),
      queued: fc.array(small(30), { maxLength: 8 }),
    }),
  },
);

const sequences: fc.Arbitrary<Sequence> = fc.record({
  totalUnits: small(30),
  limitUnits: fc.integer({ min: 1, max: 4 }),
  isGrouped: fc.constantFrom(true, true, false),
  isOpen: fc.constantFrom(true, true, false),
  steps: fc.array(fc.record({ sale: fc.constantFrom(0 as const, 0 as const, 1 as const), step }), { maxLength: 30 }),
});

/** One sale of one ledger, and what its gates would remember. */
interface World {
  readonly ledger: Ledger;
  readonly saleId: string;
  /** Of the other sale. */
  readonly beside: World | null;
  readonly claims: Claim[];
  /** By segment number. */
  readonly epochs: Map<number, number>;
  lastSeq: number;
}

/** What happened after each step, with times and sale ids left out, so that two ledgers can be compared. */
export interface Trace {
  readonly answers: readonly unknown[];
  readonly stocks: readonly unknown[];
}

/** Runs a sequence on two new sales. Throws as soon as a law is broken. */
export async function runSequence(ledger: Ledger, sequence: Sequence): Promise<Trace> {
  const worlds = await openWorlds(ledger, sequence);
  const answers: unknown[] = [];
  const stocks: unknown[] = [];
  for (const { sale, step: each } of sequence.steps) {
    answers.push(await answerOf(worlds[sale], each));
    // Nothing else touches the other one.
    const touched = each.kind === 'settle' ? worlds : [worlds[sale]];
    const live = await Promise.all(touched.map((world) => checkWorld(world, JSON.stringify(each))));
    for (const orders of sequence.isGrouped ? [live.flat()] : live) checkLimit(orders, sequence.limitUnits);
    stocks.push(
      await Promise.all(touched.map(async (world) => comparable(await stockOf(ledger, world.saleId, world.claims)))),
    );
  }
  return withoutSales(worlds, { answers, stocks }) as Trace;
}

async function openWorlds(
  ledger: Ledger,
  { totalUnits, limitUnits, isGrouped, isOpen }: Sequence,
): Promise<readonly [World, World]> {
  const open = async (group: string | null, beside: World | null): Promise<World> => {
    const draft = newDraft({ totalUnits, limitUnits, ...(group !== null && { limitGroup: group }) });
    if (!isOpen || totalUnits === 0) {
      await ledger.sales.create(draft, QUOTAS);
      return { ledger, saleId: draft.id, beside, claims: [], epochs: new Map(), lastSeq: 0 };
    }
    await openSale(ledger, draft);
    return { ledger, saleId: draft.id, beside, claims: [], epochs: new Map([[0, 1]]), lastSeq: 0 };
  };
  const { id } = newDraft();
  const first = await open(isGrouped ? id : null, null);
  const second = await open(isGrouped ? id : null, first);
  return [{ ...first, beside: second }, second];
}

async function answerOf(world: World, each: Step): Promise<unknown> {
  let answer: unknown = null;
  const fault = await faultOf(async () => {
    answer = await take(world, each);
  });
  return fault ?? answer;
}

async function take(world: World, each: Step): Promise<unknown> {
  const { ledger, saleId } = world;
  const centre = ledger.inventoryCentre;
  switch (each.kind) {
    case 'operate':
      return ledger.sales.operate(saleId, each.operation);
    case 'allot':
      return centre.allot({
        moveId: moveIdOf(world, each.move),
        quota: quotaKey(saleId, each.quota),
        units: each.units,
      });
    case 'finishMove':
      return centre.finishMove(moveIdOf(world, each.move));
    case 'settle': {
      const beside = world.beside ? claimsOf(world.beside, each.beside) : [];
      const outcomes = await ledger.settlement.settle([...claimsOf(world, each.group), ...beside]);
      return outcomes.map(withoutTimes);
    }
    case 'finishRelease': {
      const claim = world.claims[each.claim];
      return claim ? centre.finishRelease(claimId(claim)) : null;
    }
    case 'quarantine':
      for (const claim of claimsOf(world, [each.claim])) await ledger.settlement.quarantine(claim, 'at random');
      return null;
    case 'openEpoch':
      return openEpochOf(world, each);
    case 'issueReturn':
    case 'finishReturn':
    case 'receive':
    case 'withdraw':
    case 'closeWithdrawal':
    case 'cancel':
    case 'pay':
    case 'settleSale':
      return takeBack(world, each);
  }
}

/** What takes units back: from gates, from orders, out of the sale. */
async function takeBack(world: World, each: BackStep): Promise<unknown> {
  const { ledger, saleId } = world;
  const centre = ledger.inventoryCentre;
  switch (each.kind) {
    case 'issueReturn': {
      const { move, quota, units } = each;
      return centre.issueReturn({ moveId: `${saleId}/back-${move}`, quota: quotaKey(saleId, quota), units });
    }
    case 'finishReturn':
      return centre.finishReturn(`${saleId}/back-${each.move}`, each.units);
    case 'receive':
      return centre.receiveStock(saleId, { id: `d${each.delivery}`, units: each.units });
    case 'withdraw': {
      const { attempt, delivery, units } = each;
      return centre.openWithdrawal({ id: `${saleId}/attempt-${attempt}`, saleId, delivery: `d${delivery}`, units });
    }
    case 'closeWithdrawal':
      return centre.closeWithdrawal(`${saleId}/attempt-${each.attempt}`);
    case 'cancel':
      return untimed(await ledger.orders.cancel(orderIdOf(world, each.order), null));
    case 'pay': {
      const orderId = orderIdOf(world, each.order);
      const notice = { orderId, reference: `${orderId}$${each.reference}`, outcome: each.outcome, amount: null };
      return untimed(await ledger.orders.notePayment(notice));
    }
    case 'settleSale': {
      const epochOf = (segment: number) => (world.epochs.get(segment) ?? 0) + (each.isConfirmed ? 0 : 1);
      const confirmed = [0, 1].map((segment) => ({ saleId, region: REGION, segment, epoch: epochOf(segment) }));
      return ledger.sales.settle(saleId, { confirmed, queuedClaims: 0, unsettledClaims: 0 });
    }
  }
}

function untimed<Result extends object>(result: Result): unknown {
  return 'order' in result && result.order ? { ...result, order: timeless(result.order as Order) } : result;
}

async function openEpochOf(world: World, each: Step & { kind: 'openEpoch' }): Promise<unknown> {
  const cut = each.cut === null ? undefined : world.claims[each.cut]?.origin;
  const epoch = world.epochs.get(each.segment) ?? 0;
  const result = await world.ledger.inventoryCentre.openEpoch({
    segment: { saleId: world.saleId, region: REGION, segment: each.segment },
    fromEpoch: epoch + each.fromOffset,
    cutThrough: cut ? { epoch: cut.epoch, seq: cut.seq } : BEFORE_ALL,
    queued: each.queued.map((index) => world.claims[index]).filter((claim) => claim !== undefined),
  });
  if (result.kind !== 'opened') return result;
  world.epochs.set(each.segment, result.snapshot.epoch);
  return {
    ...result.snapshot,
    quotas: sorted(result.snapshot.quotas, quotaName),
    orders: sorted(result.snapshot.orders, (order) => order.orderId).map(timeless),
  };
}

function claimsOf(world: World, specs: readonly ClaimSpec[]): readonly Claim[] {
  return specs.map((spec) => claimOf(world, spec)).filter((claim) => claim !== undefined);
}

function claimOf(world: World, spec: ClaimSpec): Claim | undefined {
  if (spec.kind === 'again') return world.claims[spec.claim];
  if (spec.kind === 'clash') {
    const earlier = world.claims[spec.claim];
    return earlier && { ...earlier, orderId: orderIdOf(world, spec.order) };
  }
  const quota = QUOTAS[spec.quota];
  if (!quota) throw new Error(`there is no quota ${spec.quota}`);
  world.lastSeq += 1;
  const epoch = Math.max(0, (world.epochs.get(quota.segment) ?? 0) + spec.epochOffset);
  const claim: Claim = {
    orderId: orderIdOf(world, spec.order),
    saleId: world.saleId,
    buyerId: `buyer-${spec.buyer}`,
    units: spec.units,
    origin: { ...quota, epoch, seq: world.lastSeq },
  };
  world.claims.push(claim);
  return claim;
}

/** The sale's live orders. Held and sold units are theirs. */
async function checkWorld(world: World, step: string): Promise<readonly Order[]> {
  const { ledger, saleId } = world;
  expect(await brokenLaws(ledger, saleId), `after ${step}`).toEqual([]);
  const stock = await stockOf(ledger, saleId, world.claims);
  if (stock.sale.state === 'settled') checkSettled(stock);
  const ids = Array.from({ length: ORDERS }, (_, index) => orderIdOf(world, index));
  const orders = await Promise.all(ids.map((id) => ledger.orders.find(id)));
  const live = orders.filter((order) => order !== null).filter((order) => isLive(order.state));
  const orderedUnits = stock.quotas.reduce((sum, quota) => sum + quota.heldUnits + quota.soldUnits, 0);
  expect(live.reduce((sum, order) => sum + order.units, 0)).toBe(orderedUnits);
  return live;
}

/** No buyer has more of these orders' units than the limit. */
function checkLimit(live: readonly Order[], limitUnits: number): void {
  for (const buyerId of new Set(live.map((order) => order.buyerId))) {
    const units = live.filter((order) => order.buyerId === buyerId).reduce((sum, order) => sum + order.units, 0);
    expect(units).toBeLessThanOrEqual(limitUnits);
  }
}

/** P17: whatever is done, every unit is sold or free, and nothing is on its way. */
function checkSettled({ quotas, openMoves, openReturns, openReleases, openWithdrawals }: Stock): void {
  for (const quota of quotas) expect(quota.allottedUnits).toBe(quota.soldUnits);
  expect([openMoves, openReturns, openReleases, openWithdrawals].flat()).toEqual([]);
}

function comparable(stock: Stock): unknown {
  return {
    sale: { state: stock.sale.state, version: stock.sale.version },
    centre: stock.centre,
    quotas: sorted<Quota>(stock.quotas, quotaName),
    segments: sorted(stock.segments, segmentName),
    openMoves: sorted(stock.openMoves, (move) => move.id),
    openReleases: sorted(stock.openReleases, (release) => release.id),
    openReturns: sorted(stock.openReturns, (move) => move.id),
    openWithdrawals: sorted(stock.openWithdrawals, (withdrawal) => withdrawal.id),
    generation: stock.generation,
    knownClaimIds: [...stock.knownClaimIds].sort(),
  };
}

function withoutTimes(outcome: SettlementOutcome): unknown {
  return { ...outcome, order: outcome.order && timeless(outcome.order) };
}

function timeless(order: Order): unknown {
  return { ...order, settledAtMs: 0, dueAtMs: order.dueAtMs === null ? null : order.dueAtMs - order.settledAtMs };
}

function withoutSales(worlds: readonly World[], value: unknown): unknown {
  let text = JSON.stringify(value);
  for (const [at, { saleId }] of worlds.entries()) {
    text = text.replaceAll(new RegExp(`${saleId}(?!\\d)`, 'g'), `SALE${at}`);
  }
  return JSON.parse(text.replaceAll(/Sale \d+/g, 'SALE').replaceAll(/"limitGroup":"[^"]*"/g, '"limitGroup":"GROUP"'));
}

function sorted<T>(values: readonly T[], key: (value: T) => string): readonly T[] {
  return [...values].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

function moveIdOf(world: World, index: number): string {
  return `${world.saleId}/move-${index}`;
}

function orderIdOf(world: World, index: number): string {
  return `${world.saleId}/order-${index}`;
}

/** fast-check prints the seed of a failure; TEST_SEED brings it back, TEST_RUNS looks longer. */
export function onRandomSequences(check: (sequence: Sequence) => Promise<void>): Promise<void> {
  return fc.assert(fc.asyncProperty(sequences, check), { seed: SEED, numRuns: SEQUENCES });
}

export function conservationContract(ledger: () => Ledger): void {
  test('keeps every law after every step of any sequence (seed printed)', async () => {
    await onRandomSequences(async (sequence) => {
      await runSequence(ledger(), sequence);
    });
  });
}
