import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Fault } from '../fault.ts';
import { InvariantError } from '../invariant.ts';
import { type Quota, quotaName, segmentName, unorderedUnits } from '../inventory/quota.ts';
import { BEFORE_ALL, type Claim, claimId, type Origin, type Position, quotaOf } from '../order/claim.ts';
import { isLive, type Order, type OrderState } from '../order/order.ts';
import { plainOffer } from '../sale/offer.ts';
import type { Sale } from '../sale/sale.ts';
import { buyerKey, type LedgerChanges } from './changes.ts';
import { decideSettlement, type SettlementOutcome, type SettlementView } from './decide-settlement.ts';
import { type Cut, isStale, type SegmentRecord } from './epoch.ts';

const NOW_MS = 5000;
const HOLD_MS = 700;
const segment = { saleId: 'sale', region: 'main', segment: 0 };

const sale: Sale = {
  id: 'sale',
  title: 'A sale',
  offer: plainOffer('skin'),
  timeZone: 'UTC',
  totalUnits: 100,
  limitUnits: 3,
  startsAtMs: 0,
  endsAtMs: 1,
  holdMs: HOLD_MS,
  segments: 1,
  state: 'live',
  version: 1,
};

const quota = (channel: string, allottedUnits: number): Quota => ({
  ...segment,
  channel,
  allottedUnits,
  heldUnits: 0,
  soldUnits: 0,
  quarantinedUnits: 0,
});

const claimOf = (
  orderId: string,
  changes: Partial<Omit<Claim, 'origin'>> = {},
  origin: Partial<Origin> = {},
): Claim => ({
  orderId,
  saleId: 'sale',
  buyerId: `buyer of ${orderId}`,
  units: 1,
  ...changes,
  origin: { region: 'main', segment: 0, channel: 'web', epoch: 1, seq: 1, ...origin },
});

const orderOf = (claim: Claim, state: OrderState): Order => ({
  ...claim,
  state,
  refusal: null,
  settledAtMs: 1,
  dueAtMs: null,
});

/** A ledger of one segment: plans are written into it as a transaction would. */
interface Books {
  sale: Sale;
  record: SegmentRecord;
  readonly quotas: Map<string, Quota>;
  readonly buyerUnits: Map<string, number>;
  readonly orders: Map<string, Order>;
  readonly released: Map<string, number>;
}

function booksOf(units: Readonly<Record<string, number>> = { web: 10 }, cuts: readonly Cut[] = [], epoch = 1): Books {
  const quotas = Object.entries(units).map(([channel, allotted]) => quota(channel, allotted));
  return {
    sale,
    record: { ...segment, epoch, cuts, settledThrough: BEFORE_ALL },
    quotas: new Map(quotas.map((each) => [quotaName(each), each])),
    buyerUnits: new Map(),
    orders: new Map(),
    released: new Map(),
  };
}

function viewOf(books: Books): SettlementView {
  return {
    nowMs: NOW_MS,
    sales: new Map([['sale', books.sale]]),
    segments: new Map([[segmentName(segment), books.record]]),
    quotas: books.quotas,
    buyerUnits: books.buyerUnits,
    orders: books.orders,
    closedClaims: new Set(books.released.keys()),
    openPayments: new Map(),
    parkedCancels: new Map(),
  };
}

/** The outcomes and what they change, side by side. */
type Plan = LedgerChanges & { readonly outcomes: readonly SettlementOutcome[] };

function apply(books: Books, plan: Plan): void {
  for (const order of plan.newOrders) {
    expect(books.orders.has(order.orderId)).toBe(false);
    books.orders.set(order.orderId, order);
  }
  for (const release of plan.newReleases) {
    expect(books.released.has(release.id)).toBe(false);
    books.released.set(release.id, release.units);
  }
  for (const [name, { quota: key, heldUnits }] of plan.quotaDeltas) {
    const held = books.quotas.get(name) ?? { ...quota(key.channel, 0) };
    books.quotas.set(name, { ...held, heldUnits: held.heldUnits + heldUnits });
  }
  for (const [key, { units }] of plan.buyerDeltas) books.buyerUnits.set(key, (books.buyerUnits.get(key) ?? 0) + units);
}

function decide(view: SettlementView, group: readonly Claim[]): Plan {
  const { outcomes, changes } = decideSettlement(view, group);
  return { outcomes, ...changes };
}

function settle(books: Books, group: readonly Claim[]): Plan {
  const plan = decide(viewOf(books), group);
  apply(books, plan);
  return plan;
}

const kinds = (plan: Plan) => plan.outcomes.map((outcome) => outcome.kind);
const writesNothing = (plan: Plan) =>
  plan.newOrders.length +
    plan.newReleases.length +
    plan.entries.length +
    plan.quotaDeltas.size +
    plan.buyerDeltas.size ===
  0;

describe('settling a claim', () => {
  test('makes a pending order that falls due after the hold, by the clock of the ledger', () => {
    const claim = claimOf('x', { units: 2 });
    const order = { ...claim, state: 'pending', refusal: null, settledAtMs: NOW_MS, dueAtMs: NOW_MS + HOLD_MS };
    const plan = settle(booksOf(), [claim]);
    expect(plan.outcomes).toEqual([{ kind: 'settled', claim, order, release: null }]);
    expect(plan.newOrders).toEqual([order]);
    expect(plan.newReleases).toEqual([]);
    expect([...plan.quotaDeltas]).toEqual([
      ['sale/main/0/web', { quota: quotaOf(claim), heldUnits: 2, soldUnits: 0, allottedUnits: 0 }],
    ]);
    expect([...plan.buyerDeltas.values()]).toEqual([{ limitScope: 'sale', buyerId: claim.buyerId, units: 2 }]);
    expect(plan.entries).toEqual([
      { saleId: 'sale', quota: quotaOf(claim), from: 'atGate', to: 'held', units: 2, cause: 'order', causeId: 'x' },
    ]);
  });

  test('refuses what passes the limit of the buyer, earlier claims of the group counted, and gives it back', () => {
    const books = booksOf();
    const both = [
      claimOf('x', { buyerId: 'one', units: 2 }),
      claimOf('y', { buyerId: 'one', units: 2 }, { seq: 2 }),
    ] as const;
    const plan = settle(books, both);
    expect(kinds(plan)).toEqual(['settled', 'refused']);
    expect(plan.newOrders[1]).toMatchObject({ orderId: 'y', state: 'refused', refusal: 'over_limit', dueAtMs: null });
    expect(plan.newReleases).toEqual([{ ...both[1], id: claimId(both[1]), epoch: 1, destination: 'quota' }]);
    expect(plan.entries[1]).toMatchObject({
      from: 'atGate',
      to: 'inTransit',
      units: 2,
      cause: 'release',
      causeId: claimId(both[1]),
    });
  });

  test('refuses what the quota does not have, to the unit', () => {
    const group = [claimOf('x', { units: 2 }), claimOf('y', { units: 2 }, { seq: 2 }), claimOf('z', {}, { seq: 3 })];
    const plan = settle(booksOf({ web: 3 }), group);
    expect(kinds(plan)).toEqual(['settled', 'refused', 'settled']);
    expect(plan.newOrders[1]).toMatchObject({ refusal: 'no_units' });
    expect(kinds(settle(booksOf({ app: 3 }), [claimOf('x')]))).toEqual(['refused']);
  });

  test('counts held, sold and quarantined units against the quota', () => {
    for (const taken of [{ heldUnits: 2 }, { soldUnits: 2 }, { quarantinedUnits: 2 }]) {
      const books = booksOf({ web: 3 });
      books.quotas.set('sale/main/0/web', { ...quota('web', 3), ...taken });
      expect(kinds(settle(books, [claimOf('x', { units: 2 })]))).toEqual(['refused']);
      expect(kinds(settle(books, [claimOf('y')]))).toEqual(['settled']);
    }
  });

  test.each(['draft', 'live', 'paused', 'closed'] as const)('goes on while the sale is %s', (state) => {
    const books = booksOf();
    books.sale = { ...sale, state };
    expect(kinds(settle(books, [claimOf('x')]))).toEqual(['settled']);
  });

  test('P17: ends when the sale is settled', () => {
    const books = booksOf();
    books.sale = { ...sale, state: 'settled' };
    const plan = settle(books, [claimOf('x')]);
    expect(plan.newOrders).toMatchObject([{ state: 'refused', refusal: 'sale_ended' }]);
    expect([plan.newReleases, plan.entries]).toEqual([[], []]);
  });

  test('is refused by the ledger without its segment, and impossible without its sale', () => {
    const view = viewOf(booksOf());
    expect(() => decide({ ...view, segments: new Map() }, [claimOf('x')])).toThrow(Fault);
    expect(() => decide({ ...view, sales: new Map() }, [claimOf('x')])).toThrow(InvariantError);
  });

  test('notes the highest position that it met, whatever became of the claim', () => {
    const group = [claimOf('x', {}, { seq: 2 }), claimOf('y', { units: 9 }, { seq: 5 }), claimOf('z', {}, { seq: 3 })];
    expect([...settle(booksOf(), group).settledThrough]).toEqual([['sale/main/0', { epoch: 1, seq: 5 }]]);
  });

  test('keeps buyers of like names apart', () => {
    expect(buyerKey('a', 'b","c')).not.toBe(buyerKey('a","b', 'c'));
    expect(buyerKey('a', '1')).not.toBe(buyerKey('a1', ''));
  });
});

describe('a claim that comes again', () => {
  test('P11: is a redelivery when its origin is the same, whatever became of the order', () => {
    const states = ['pending', 'paid', 'cancelled', 'expired', 'refused', 'refunded'] as const;
    for (const state of states) {
      const claim = claimOf('x');
      const books = booksOf();
      books.orders.set('x', orderOf(claim, state));
      const plan = settle(books, [claim, claim]);
      expect(plan.outcomes[0]).toEqual({ kind: 'repeated', claim, order: orderOf(claim, state) });
      expect(writesNothing(plan)).toBe(true);
    }
  });

  test('P11: is a redelivery even after a cut has made it stale', () => {
    const claim = claimOf('x', {}, { seq: 9 });
    const books = booksOf({ web: 5 }, [{ epoch: 2, through: BEFORE_ALL }], 2);
    books.orders.set('x', orderOf(claim, 'pending'));
    expect(kinds(settle(books, [claim]))).toEqual(['repeated']);
  });

  test('within one group is settled once', () => {
    const plan = settle(booksOf(), [claimOf('x'), claimOf('x')]);
    expect(kinds(plan)).toEqual(['settled', 'repeated']);
    expect(plan.newOrders).toHaveLength(1);
  });

  test('P10: with another origin is a second claim, and goes back by its own', () => {
    const first = claimOf('x');
    const second = claimOf('x', {}, { seq: 2 });
    const books = booksOf();
    const plan = settle(books, [first, second]);
    expect(kinds(plan)).toEqual(['settled', 'second_claim']);
    expect(plan.newReleases).toEqual([{ ...second, id: claimId(second), epoch: 1, destination: 'quota' }]);
    const again = settle(books, [second, first]);
    expect(kinds(again)).toEqual(['repeated', 'repeated']);
    expect(writesNothing(again)).toBe(true);
  });

  test.each(['cancelled', 'expired', 'refused'] as const)('P10: of an order that is %s goes back too', (state) => {
    const books = booksOf();
    books.orders.set('x', orderOf(claimOf('x'), state));
    const plan = settle(books, [claimOf('x', {}, { seq: 2 })]);
    expect(kinds(plan)).toEqual(['second_claim']);
    expect(plan.newReleases).toHaveLength(1);
  });

  test('after it was released or put aside is left alone', () => {
    const claim = claimOf('x');
    const view = { ...viewOf(booksOf()), closedClaims: new Set([claimId(claim)]) };
    const plan = decide(view, [claim]);
    expect(plan.outcomes).toEqual([{ kind: 'repeated', claim, order: null }]);
    expect(writesNothing(plan)).toBe(true);
  });
});

describe('a stale claim', () => {
  const cuts: Cut[] = [{ epoch: 2, through: { epoch: 1, seq: 3 } }];

  test('P4: counts up to the cut, and is refused beyond it', () => {
    const books = booksOf({ web: 10 }, cuts, 2);
    const plan = settle(books, [
      claimOf('x', {}, { seq: 3 }),
      claimOf('y', {}, { seq: 4 }),
      claimOf('z', {}, { epoch: 2 }),
    ]);
    expect(kinds(plan)).toEqual(['settled', 'refused', 'settled']);
    expect(plan.newOrders[1]).toMatchObject({ state: 'refused', refusal: 'stale_epoch' });
  });

  test('P5: gives nothing back: the load of the newer epoch never took its units', () => {
    const books = booksOf({ web: 10 }, cuts, 2);
    books.orders.set('x', orderOf(claimOf('x'), 'pending'));
    const plan = settle(books, [claimOf('y', {}, { seq: 4 }), claimOf('x', {}, { seq: 5 })]);
    expect(kinds(plan)).toEqual(['refused', 'second_claim']);
    expect(plan.newReleases).toEqual([]);
    expect(plan.entries).toEqual([]);
    expect(writesNothing(settle(books, [claimOf('y', {}, { seq: 4 }), claimOf('x', {}, { seq: 5 })]))).toBe(true);
  });

  test('releases that lie under the cut carry the epoch that is open now', () => {
    const books = booksOf({ web: 0 }, cuts, 2);
    expect(settle(books, [claimOf('x', {}, { seq: 3 })]).newReleases).toMatchObject([
      { epoch: 2, origin: { epoch: 1 } },
    ]);
  });
});

describe('on any sequence of groups and cuts', () => {
  const NEWEST_EPOCH = 3;

  /** Claim n is always the same claim: three of them share an order, orders share buyers and quotas. */
  const claimNumber = (n: number): Claim =>
    claimOf(
      `order-${n % 9}`,
      { buyerId: `buyer-${n % 3}`, units: 1 + ((n % 9) % 2) },
      { channel: n % 4 === 0 ? 'app' : 'web', epoch: 1 + (n % NEWEST_EPOCH), seq: 1 + Math.floor(n / 3) },
    );

  const group = fc.array(fc.nat({ max: 26 }), { maxLength: 8 });
  const position: fc.Arbitrary<Position> = fc.record({ epoch: fc.nat({ max: 3 }), seq: fc.nat({ max: 9 }) });
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('settle' as const), group }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('cut' as const), through: position }) },
  );
  const sequence = fc.record({
    web: fc.nat({ max: 8 }),
    app: fc.nat({ max: 3 }),
    steps: fc.array(step, { maxLength: 12 }),
  });

  function expectLaws(
    books: Books,
    met: ReadonlyMap<string, { readonly claim: Claim; readonly wasStale: boolean }>,
  ): void {
    for (const each of books.quotas.values()) {
      expect(unorderedUnits(each)).toBeGreaterThanOrEqual(0);
      const live = [...books.orders.values()].filter(
        (order) => isLive(order.state) && order.origin.channel === each.channel,
      );
      expect(each.heldUnits).toBe(live.reduce((sum, order) => sum + order.units, 0));
    }
    for (const [key, units] of books.buyerUnits) {
      expect(units).toBeLessThanOrEqual(sale.limitUnits);
      const live = [...books.orders.values()].filter(
        (order) => isLive(order.state) && buyerKey('sale', order.buyerId) === key,
      );
      expect(units).toBe(live.reduce((sum, order) => sum + order.units, 0));
    }
    for (const [id, { claim, wasStale }] of met) {
      const order = books.orders.get(claim.orderId);
      expect(order).toBeDefined();
      const isHeld = order !== undefined && isLive(order.state) && claimId(order) === id;
      const isReleased = books.released.get(id) === claim.units;
      // Exactly one place; a stale claim's units are nowhere: the newer load has them.
      expect([isHeld, isReleased, wasStale].filter(Boolean)).toHaveLength(1);
    }
    expect([...books.released.keys()].every((id) => met.has(id))).toBe(true);
  }

  test('no quota, limit or order is passed, every claim goes to one place, and a redelivery does nothing', () => {
    fc.assert(
      fc.property(sequence, ({ web, app, steps }) => {
        // No gate is ever ahead of the ledger: an epoch is opened here first.
        const books = booksOf({ web, app }, [], NEWEST_EPOCH);
        const met = new Map<string, { readonly claim: Claim; readonly wasStale: boolean }>();
        for (const each of steps) {
          if (each.kind === 'cut') {
            const opened = books.record.epoch + 1;
            books.record = {
              ...books.record,
              epoch: opened,
              cuts: [...books.record.cuts, { epoch: opened, through: each.through }],
            };
            continue;
          }
          const claims = each.group.map(claimNumber);
          for (const claim of claims) {
            const id = claimId(claim);
            if (!met.has(id)) met.set(id, { claim, wasStale: isStale(claim.origin, books.record) });
          }
          const plan = settle(books, claims);
          expect(plan.outcomes.map((outcome) => outcome.claim)).toEqual(claims);
          expectLaws(books, met);
          const again = decide(viewOf(books), claims);
          // A stale second claim leaves nothing behind to know it by; judging it again says the same and writes nothing.
          const expected = plan.outcomes.map((outcome) => (isUnwritten(outcome, met) ? 'second_claim' : 'repeated'));
          expect(kinds(again)).toEqual(expected);
          expect(writesNothing(again)).toBe(true);
        }
      }),
    );
  });

  function isUnwritten(
    outcome: Plan['outcomes'][number],
    met: ReadonlyMap<string, { readonly wasStale: boolean }>,
  ): boolean {
    const id = claimId(outcome.claim);
    return met.get(id)?.wasStale === true && outcome.order !== null && claimId(outcome.order) !== id;
  }

  test('a group settles as its parts would, one after the other', () => {
    fc.assert(
      fc.property(group, group, fc.nat({ max: 8 }), fc.integer({ min: 1, max: 3 }), (first, second, web, epoch) => {
        const cuts: Cut[] = [{ epoch: 3, through: { epoch: 2, seq: 4 } }].slice(0, Math.max(0, epoch - 2));
        const whole = booksOf({ web, app: 2 }, cuts, epoch);
        const parts = booksOf({ web, app: 2 }, cuts, epoch);
        const { outcomes } = settle(whole, [...first, ...second].map(claimNumber));
        const inParts = [
          ...settle(parts, first.map(claimNumber)).outcomes,
          ...settle(parts, second.map(claimNumber)).outcomes,
        ];
        expect(outcomes).toEqual(inParts);
        expect(whole).toEqual(parts);
      }),
    );
  });
});
