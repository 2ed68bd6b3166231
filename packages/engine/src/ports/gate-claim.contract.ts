/** What every gate promises of claims. K names are the cases from the field. */
import { describe, expect, test } from 'vitest';
import { claimId } from '../domain/order/claim.ts';
import type { SaleState } from '../domain/sale/sale.ts';
import { type ClaimOutcome, MAX_CLAIMS_PER_CALL } from './gate.ts';
import {
  CALL_MS,
  CHANNEL,
  claimsOf,
  kindsOf,
  MINUTE_MS,
  newSegment,
  type OpenSegment,
  openSegment,
  request,
  requests,
  type StoreUnderTest,
  segmentOn,
  termsOfTest,
} from './store-fixture.contract.ts';

export function gateClaimContract(store: () => StoreUnderTest): void {
  const open: (options?: Parameters<typeof openSegment>[1]) => Promise<OpenSegment> = (options) =>
    openSegment(store(), options);

  /** Runs `action` and holds it to have changed nothing at all. */
  async function withoutTrace<Answer>(segment: OpenSegment, action: () => Promise<Answer>): Promise<Answer> {
    const before = { view: await segment.view(), queued: await segment.queued() };
    const answer = await action();
    expect({ view: await segment.view(), queued: await segment.queued() }).toEqual(before);
    return answer;
  }

  describe('taking units', () => {
    test('lowers the quota, remembers the claim and queues it, at the next position', async () => {
      const segment = await open({ units: 5, epoch: 7 });
      const wanted = request({ units: 2 });
      const { region, segment: number, saleId } = segment.key;
      const claim = {
        orderId: wanted.orderId,
        saleId,
        buyerId: wanted.buyerId,
        units: 2,
        origin: { region, segment: number, channel: CHANNEL, epoch: 7, seq: 1 },
      };
      expect(await segment.claimOne(wanted)).toEqual({ kind: 'claimed', claim });
      expect(await segment.view()).toMatchObject({ unsettled: [claim], position: { epoch: 7, seq: 1 } });
      expect(await segment.available()).toBe(3);
      expect(await store().queue.peek(segment.key)).toEqual([{ claim, claimedAtMs: await store().nowMs() }]);
    });

    test('judges a batch in the order given, each claim after those before it', async () => {
      const segment = await open({ units: 3 });
      const outcomes = await segment.claim(requests(5, { units: 1 }));
      expect(kindsOf(outcomes)).toEqual(['claimed', 'claimed', 'claimed', 'dry', 'dry']);
      expect(claimsOf(outcomes).map((claim) => claim.origin.seq)).toEqual([1, 2, 3]);
    });

    test('passes over one that asks for too much and serves the next', async () => {
      const segment = await open({ units: 3 });
      const outcomes = await segment.claim([request({ units: 2 }), request({ units: 2 }), request({ units: 1 })]);
      expect(kindsOf(outcomes)).toEqual(['claimed', 'not_enough_left', 'claimed']);
      expect(outcomes[1]).toEqual({ kind: 'not_enough_left', leftUnits: 1 });
    });

    test('K01: of two who ask 2 of 3 at the same instant exactly one gets them, 200 times', async () => {
      for (let round = 0; round < 200; round++) {
        const segment = await open({ units: 3 });
        const both = await Promise.all([
          segment.claimOne(request({ units: 2 })),
          segment.claimOne(request({ units: 2 })),
        ]);
        expect(kindsOf(both).toSorted()).toEqual(['claimed', 'not_enough_left']);
        expect(await segment.available()).toBe(1);
      }
    });

    test.each([0, 1, 2, 10, 999])('K06: sells exactly %i when 50 more than that ask', async (units) => {
      const segment = await open({ units });
      const everybody = requests(units + 50);
      const calls: Promise<readonly ClaimOutcome[]>[] = [];
      for (let from = 0; from < everybody.length; from += 100)
        calls.push(segment.claim(everybody.slice(from, from + 100)));
      const outcomes = (await Promise.all(calls)).flat();
      expect(claimsOf(outcomes)).toHaveLength(units);
      expect(await segment.available()).toBe(0);
      expect(await segment.queued()).toHaveLength(units);
    });

    test('keeps channels apart', async () => {
      const segment = await open({
        availableUnits: new Map([
          ['app', 0],
          ['web', 1],
        ]),
      });
      expect(await segment.claimOne(request({ channel: 'app' }))).toEqual({ kind: 'dry' });
      expect(await segment.claimOne(request({ channel: 'web' }))).toMatchObject({ kind: 'claimed' });
    });

    test('keeps segments apart', async () => {
      const first = await open({ units: 1 });
      const second = await open({ units: 1, segment: { ...first.key, segment: 1 } });
      const wanted = request();
      const claims = [await first.win(wanted), await second.win(wanted)];
      expect(claims.map((claim) => claim.origin.segment)).toEqual([0, 1]);
      expect(await first.queued()).toHaveLength(1);
    });

    test('K27: carries long ids and large stocks digit by digit', async () => {
      const segment = await open({ units: 10 ** 15 });
      const wanted = request({ orderId: '9223372036854775807', buyerId: '9007199254740993' });
      const claim = await segment.win(wanted);
      expect(claim).toMatchObject({ orderId: '9223372036854775807', buyerId: '9007199254740993' });
      expect(await segment.available()).toBe(10 ** 15 - 1);
      // The next number, which a double cannot tell from it, is another buyer and another order.
      expect(
        await segment.claimOne({ ...wanted, orderId: '9223372036854775806', buyerId: '9007199254740992' }),
      ).toMatchObject({
        kind: 'claimed',
      });
      expect(await segment.release(claim)).toBe('released');
      expect(await segment.available()).toBe(10 ** 15 - 1);
      expect((await store().queue.peek(segment.key))[0]?.claim).toEqual(claim);
    });

    test('takes any text for an id', async () => {
      const segment = await open({ units: 20 });
      const ids = ['__proto__', 'constructor', 'a b', 'ü/“@:{}', '1', '01', '1e3', '日本'];
      const claims = claimsOf(await segment.claim(ids.map((id) => request({ orderId: id, buyerId: id }))));
      expect(claims.map((claim) => claim.buyerId)).toEqual(ids);
      expect((await store().queue.peek(segment.key)).map((entry) => entry.claim)).toEqual(claims);
      expect(new Set(await segment.queued()).size).toBe(ids.length);
    });

    test('refuses a call of too many claims whole', async () => {
      const segment = await open({ units: 1000 });
      expect(await segment.claim(requests(MAX_CLAIMS_PER_CALL))).toHaveLength(MAX_CLAIMS_PER_CALL);
      await withoutTrace(segment, async () => {
        await expect(segment.claim(requests(MAX_CLAIMS_PER_CALL + 1))).rejects.toThrow();
      });
    });

    test.each([0, -1, 0.5, Number.NaN, 2 ** 53])(
      'refuses a call whole in which one asks for %d units',
      async (units) => {
        const segment = await open();
        await withoutTrace(segment, async () => {
          await expect(segment.claim([request(), request({ units })])).rejects.toThrow();
        });
      },
    );

    test('answers nothing when nothing is asked', async () => {
      const segment = await open();
      expect(await withoutTrace(segment, () => segment.claim([]))).toEqual([]);
    });
  });

  describe('the limit', () => {
    test('K05: counts units, not orders', async () => {
      const segment = await open({ units: 500, terms: { limitUnits: 1 } });
      expect(await segment.claimOne(request({ units: 100 }))).toEqual({ kind: 'over_limit', liveOrderIds: [] });
      expect(await segment.available()).toBe(500);
    });

    test('K05: holds one buyer to 3 units in 10 asks of 2 at once', async () => {
      const segment = await open({ units: 500, terms: { limitUnits: 3 } });
      const asks = requests(10, { buyerId: 'one', units: 2 });
      const outcomes = await Promise.all(asks.map((ask) => segment.claimOne(ask)));
      expect(claimsOf(outcomes).reduce((units, claim) => units + claim.units, 0)).toBe(2);
      expect(await segment.claimOne(request({ buyerId: 'one', units: 1 }))).toMatchObject({ kind: 'claimed' });
      expect(await segment.available()).toBe(497);
    });

    test('sees what the same batch took before, and names the live orders', async () => {
      const segment = await open({ terms: { limitUnits: 2 } });
      const asks = requests(3, { buyerId: 'one' });
      const outcomes = await segment.claim(asks);
      expect(kindsOf(outcomes)).toEqual(['claimed', 'claimed', 'over_limit']);
      expect(outcomes[2]).toEqual({ kind: 'over_limit', liveOrderIds: [asks[0]?.orderId, asks[1]?.orderId] });
    });

    test('counts settled orders, and no longer those whose units went back', async () => {
      const segment = await open({ terms: { limitUnits: 1 } });
      const claim = await segment.win(request({ buyerId: 'one' }));
      await store().gate.markSettled(await segment.call(), [claim]);
      const again = request({ buyerId: 'one' });
      expect(await segment.claimOne(again)).toEqual({ kind: 'over_limit', liveOrderIds: [claim.orderId] });
      await segment.release(claim);
      expect(await segment.claimOne(again)).toMatchObject({ kind: 'claimed' });
    });

    test('reaches over channels', async () => {
      const segment = await open({
        availableUnits: new Map([
          ['app', 5],
          ['web', 5],
        ]),
        terms: { limitUnits: 1 },
      });
      await segment.win(request({ buyerId: 'one', channel: 'app' }));
      expect(await segment.claimOne(request({ buyerId: 'one', channel: 'web' }))).toMatchObject({ kind: 'over_limit' });
    });

    test('K12: refused clicks consume nothing', async () => {
      const segment = await open({ units: 100, terms: { limitUnits: 1 } });
      for (let click = 0; click < 500; click++) {
        await segment.claim(Array.from({ length: 10 }, (_, buyer) => request({ buyerId: `clicker-${buyer}` })));
      }
      expect(await segment.available()).toBe(90);
      expect(claimsOf(await segment.claim(requests(91)))).toHaveLength(90);
    });
  });

  describe('an order that is asked for again', () => {
    test('is answered with its claim and takes nothing', async () => {
      const segment = await open();
      const wanted = request();
      const { orderId, units, origin } = await segment.win(wanted);
      expect(await withoutTrace(segment, () => segment.claimOne(wanted))).toEqual({
        kind: 'replayed',
        mark: { orderId, units, origin, state: 'claimed' },
      });
    });

    test('twice in one batch is taken once', async () => {
      const segment = await open();
      const wanted = request();
      expect(kindsOf(await segment.claim([wanted, wanted]))).toEqual(['claimed', 'replayed']);
      expect(await segment.available()).toBe(9);
      expect(await segment.queued()).toHaveLength(1);
    });

    test('with other units differs, and is told what it was', async () => {
      const segment = await open({ terms: { limitUnits: 5 } });
      const wanted = request({ units: 2 });
      await segment.win(wanted);
      expect(await withoutTrace(segment, () => segment.claimOne({ ...wanted, units: 1 }))).toEqual({
        kind: 'content_differs',
        units: 2,
      });
    });

    test('K22: wins for ever, even when the last unit was its own', async () => {
      const segment = await open({ units: 1 });
      const winner = request();
      const { origin } = await segment.win(winner);
      for (let attempt = 0; attempt < 100; attempt++) {
        expect(await segment.claimOne(winner)).toMatchObject({ kind: 'replayed', mark: { origin } });
      }
    });

    test('K22: is judged anew after a refusal, when a unit came back', async () => {
      const segment = await open({ units: 1 });
      const claim = await segment.win(request());
      const refused = request();
      expect(await segment.claimOne(refused)).toEqual({ kind: 'dry' });
      await segment.release(claim);
      expect(kindsOf([await segment.claimOne(refused), await segment.claimOne(refused)])).toEqual([
        'claimed',
        'replayed',
      ]);
    });

    test.each<SaleState>(['draft', 'paused', 'closed', 'settled'])(
      'is answered while the sale is %s',
      async (state) => {
        const segment = await open();
        const wanted = request();
        await segment.win(wanted);
        await segment.setTerms({ state });
        expect(await segment.claimOne(wanted)).toMatchObject({ kind: 'replayed' });
      },
    );

    test('is answered after the end', async () => {
      const segment = await open();
      const wanted = request();
      await segment.win(wanted);
      await store().pass(61 * MINUTE_MS);
      expect(await segment.claimOne(wanted)).toMatchObject({ kind: 'replayed' });
    });

    test('tells how it ended', async () => {
      const segment = await open();
      const wanted = request();
      const claim = await segment.win(wanted);
      await store().gate.markSettled(await segment.call(), [claim]);
      expect(await segment.claimOne(wanted)).toMatchObject({ kind: 'replayed', mark: { state: 'settled' } });
      await segment.release(claim);
      expect(await segment.claimOne(wanted)).toMatchObject({ kind: 'replayed', mark: { state: 'ended' } });
    });
  });

  describe('late money', () => {
    test('takes units anew for an order that ended, in a pause and after the end, and is answered with them', async () => {
      const segment = await open({ units: 1 });
      const wanted = request();
      await segment.release(await segment.win(wanted));
      const paid = { ...wanted, isForLateMoney: true };
      await segment.setTerms({ state: 'paused' });
      await store().pass(61 * MINUTE_MS);
      const [first, second] = [await segment.claimOne(paid), await segment.claimOne(paid)];
      expect(first).toMatchObject({ kind: 'claimed', claim: { origin: { seq: 2 } } });
      expect(second).toMatchObject({ kind: 'replayed', mark: { state: 'claimed', origin: { seq: 2 } } });
      expect(await segment.available()).toBe(0);
    });

    test.each([
      ['first', ['settled', 'ended']],
      ['last', ['ended', 'settled']],
    ] as const)('is answered with the claim that lives, when that is the %s', async (_which, states) => {
      const key = newSegment();
      const wanted = request();
      const origin = { region: key.region, segment: key.segment, channel: CHANNEL, epoch: 1 };
      const marks = states.map((state, at) => ({
        ...{ orderId: wanted.orderId, buyerId: wanted.buyerId, units: 1, state },
        origin: { ...origin, seq: at + 1 },
      }));
      const segment = await open({ segment: key, epoch: 2, marks });
      for (const isForLateMoney of [true, false]) {
        const outcome = await withoutTrace(segment, () => segment.claimOne({ ...wanted, isForLateMoney }));
        expect(outcome).toMatchObject({ kind: 'replayed', mark: { state: 'settled' } });
      }
    });

    test('is refused once the sale is closed, and beyond the limit', async () => {
      const segment = await open({ terms: { limitUnits: 1 } });
      const wanted = request({ buyerId: 'one' });
      await segment.release(await segment.win(wanted));
      const other = await segment.win(request({ buyerId: 'one' }));
      const paid = { ...wanted, isForLateMoney: true };
      expect(await segment.claimOne(paid)).toEqual({ kind: 'over_limit', liveOrderIds: [other.orderId] });
      await segment.setTerms({ state: 'closed' });
      expect(await segment.claimOne(paid)).toEqual({ kind: 'closed' });
    });
  });

  describe('the window and the state', () => {
    test('K13: is closed a millisecond before the start, and open at it', async () => {
      const startsAtMs = (await store().nowMs()) + MINUTE_MS;
      const segment = await open({ terms: { startsAtMs } });
      await store().pass(MINUTE_MS - 1);
      const refusal = await withoutTrace(segment, () => segment.claimOne(request()));
      expect(refusal).toEqual({ kind: 'not_started', startsAtMs });
      await store().pass(1);
      expect(await segment.claimOne(request())).toMatchObject({ kind: 'claimed' });
    });

    test('is open a millisecond before the end, and over at it', async () => {
      const endsAtMs = (await store().nowMs()) + MINUTE_MS;
      const segment = await open({ terms: { endsAtMs } });
      await store().pass(MINUTE_MS - 1);
      expect(await segment.claimOne(request())).toMatchObject({ kind: 'claimed' });
      await store().pass(1);
      expect(await withoutTrace(segment, () => segment.claimOne(request()))).toEqual({ kind: 'over' });
    });

    test.each([
      ['draft', 'not_ready'],
      ['paused', 'paused'],
      ['closed', 'closed'],
      ['settled', 'closed'],
    ] as const)('sells nothing while the sale is %s', async (state, kind) => {
      const segment = await open({ terms: { state } });
      expect(await withoutTrace(segment, () => segment.claimOne(request()))).toEqual({ kind });
    });
  });

  describe('a claim that nothing can be said about', () => {
    test('is late after its deadline, not at it', async () => {
      const segment = await open();
      const call = await segment.call();
      await store().pass(CALL_MS);
      expect(kindsOf(await store().gate.claim(call, [request()]))).toEqual(['claimed']);
      await store().pass(1);
      expect(await withoutTrace(segment, () => store().gate.claim(call, requests(2)))).toEqual([
        { kind: 'late' },
        { kind: 'late' },
      ]);
    });

    test('is not ready when the caller means another server', async () => {
      const segment = await open();
      const call = await segment.call({ identity: 'another' });
      expect(await withoutTrace(segment, () => store().gate.claim(call, [request()]))).toEqual([{ kind: 'not_ready' }]);
    });

    test('is not ready when there is no such segment', async () => {
      const segment = segmentOn(store(), newSegment(), await termsOfTest(store()));
      expect(await segment.claim(requests(2))).toEqual([{ kind: 'not_ready' }, { kind: 'not_ready' }]);
      expect(await store().gate.read(segment.key)).toBeNull();
      expect(await segment.queued()).toEqual([]);
    });

    test('K26: is not ready when its quota is missing, and changes nothing', async () => {
      const segment = await open({ availableUnits: new Map([['web', 5]]) });
      const wanted = [request({ channel: 'app' }), request({ channel: 'constructor' })];
      expect(await withoutTrace(segment, () => segment.claim(wanted))).toEqual([
        { kind: 'not_ready' },
        { kind: 'not_ready' },
      ]);
    });

    test('is not ready on a server that was lost, whoever is asked for', async () => {
      const segment = await open();
      const winner = request();
      await segment.win(winner);
      const call = await segment.call();
      await store().lose();
      for (const each of [call, await segment.call()]) {
        expect(kindsOf(await store().gate.claim(each, [winner, request()]))).toEqual(['not_ready', 'not_ready']);
      }
      expect(await store().gate.read(segment.key)).toBeNull();
    });
  });

  test('leaves no trace of any refusal', async () => {
    const segment = await open({ units: 2, terms: { limitUnits: 2 } });
    const winner = request({ buyerId: 'one' });
    await segment.win(winner);
    const refused = [
      request({ buyerId: 'one', units: 2 }),
      request({ units: 2 }),
      request({ channel: 'app' }),
      { ...winner, units: 2 },
      winner,
    ];
    const kinds = kindsOf(await withoutTrace(segment, () => segment.claim(refused)));
    expect(kinds).toEqual(['over_limit', 'not_enough_left', 'not_ready', 'content_differs', 'replayed']);
  });

  test('queues an entry for each claim and for nothing else', async () => {
    const segment = await open({ units: 7, terms: { limitUnits: 2 } });
    const claims: string[] = [];
    for (let round = 0; round < 10; round++) {
      const wanted = [request({ buyerId: 'one' }), request({ units: 2 }), request({ units: 3 })];
      claims.push(...claimsOf(await segment.claim([...wanted, ...wanted])).map(claimId));
    }
    expect(await segment.queued()).toEqual(claims);
  });
}
