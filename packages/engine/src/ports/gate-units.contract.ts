/** What every gate promises of units that come and go, of terms, loads and views. */
import { describe, expect, test } from 'vitest';
import type { SegmentLoad } from '../domain/gate/plan-load.ts';
import { totalsAtLoad } from '../domain/inventory/quota-totals.ts';
import { type Claim, claimId } from '../domain/order/claim.ts';
import {
  CALL_MS,
  CHANNEL,
  kindsOf,
  markOfClaim,
  newSegment,
  type OpenSegment,
  openSegment,
  request,
  requests,
  type StoreUnderTest,
  segmentOn,
  termsOfTest,
} from './store-fixture.contract.ts';

export function gateUnitsContract(store: () => StoreUnderTest): void {
  const open: (options?: Parameters<typeof openSegment>[1]) => Promise<OpenSegment> = (options) =>
    openSegment(store(), options);

  const markSettled = async (segment: OpenSegment, claims: readonly Claim[]) =>
    store().gate.markSettled(await segment.call(), claims);

  /** A claim of the segment that no gate has made. */
  function unheardOf(segment: OpenSegment, changes: Partial<Claim> = {}): Claim {
    const { region, segment: number, saleId } = segment.key;
    const { orderId, buyerId, units } = request();
    return {
      orderId,
      buyerId,
      units,
      saleId,
      origin: { region, segment: number, channel: CHANNEL, epoch: 1, seq: 1 },
      ...changes,
    };
  }

  describe('running totals', () => {
    const totalsOf = async (segment: OpenSegment) => (await segment.view()).totals.get(CHANNEL);

    test('tell what has come and gone since the load, once each', async () => {
      const segment = await open({ units: 10 });
      expect(await totalsOf(segment)).toEqual({ loaded: 10, credited: 0, released: 0, debited: 0, claimed: 0 });
      const claim = await segment.win(request({ units: 2 }));
      await segment.win(request());
      for (const _ of [1, 2]) {
        await segment.credit('in', 4);
        await segment.debit('out', 5);
        await segment.release(claim);
      }
      expect(await totalsOf(segment)).toEqual({ loaded: 10, credited: 4, released: 2, debited: 5, claimed: 3 });
      expect(await segment.available()).toBe(8);
      await segment.load({ epoch: 2, units: 8 });
      expect(await totalsOf(segment)).toEqual({ loaded: 8, credited: 0, released: 0, debited: 0, claimed: 0 });
    });

    test('do not count what a release gives to the centre', async () => {
      const segment = await open({ units: 10 });
      await segment.release(await segment.win(request()), 1, 'centre');
      expect(await totalsOf(segment)).toMatchObject({ released: 0, claimed: 1 });
    });
  });

  describe('a credit', () => {
    test('makes units claimable and raises the generation', async () => {
      const segment = await open({ units: 0 });
      const { generation } = await segment.view();
      expect(await segment.credit('move-1', 3)).toBe('credited');
      expect(await segment.available()).toBe(3);
      expect((await segment.view()).generation).toBeGreaterThan(generation);
      expect((await segment.view()).appliedMoveIds).toEqual(new Set(['move-1']));
    });

    test('is taken once per move, however often and at once it is sent', async () => {
      const segment = await open({ units: 0 });
      const answers = await Promise.all(Array.from({ length: 10 }, () => segment.credit('move-1', 3)));
      expect(answers.toSorted()).toEqual(['credited', ...Array<string>(9).fill('repeated')]);
      const view = await segment.view();
      expect(await segment.credit('move-1', 3)).toBe('repeated');
      expect(await segment.view()).toEqual(view);
      expect(await segment.available()).toBe(3);
    });

    test('of another epoch moves nothing', async () => {
      const segment = await open({ units: 0, epoch: 2 });
      for (const epoch of [1, 3]) expect(await segment.credit('move-1', 3, { epoch })).toBe('not_ready');
      expect(await segment.view()).toMatchObject({
        appliedMoveIds: new Set(),
        availableUnits: new Map([[CHANNEL, 0]]),
      });
    });

    test('for a quota that is missing moves nothing, and is taken once there is one', async () => {
      const segment = await open({ units: 0 });
      const view = await segment.view();
      expect(await segment.credit('move-1', 3, { channel: 'app' })).toBe('not_ready');
      expect(await segment.view()).toEqual(view);
      expect(await segment.credit('move-1', 3)).toBe('credited');
    });

    test.each([0, -1, 0.5, Number.NaN])('of %d units is refused whole', async (units) => {
      const segment = await open();
      const view = await segment.view();
      await expect(segment.credit('move-1', units)).rejects.toThrow();
      expect(await segment.view()).toEqual(view);
    });

    test('that would pass what stays exact is refused whole', async () => {
      const segment = await open({ units: 10 ** 15 });
      const view = await segment.view();
      await expect(segment.credit('move-1', Number.MAX_SAFE_INTEGER)).rejects.toThrow();
      expect(await segment.view()).toEqual(view);
      expect(await segment.credit('move-2', Number.MAX_SAFE_INTEGER - 10 ** 15)).toBe('credited');
      expect(await segment.available()).toBe(Number.MAX_SAFE_INTEGER);
    });
  });

  describe('a release', () => {
    test('gives a claim back to its quota and raises the generation', async () => {
      const segment = await open({ units: 5 });
      const claim = await segment.win(request({ units: 2 }));
      const { generation } = await segment.view();
      expect(await segment.release(claim)).toBe('released');
      const view = await segment.view();
      expect(view).toMatchObject({ unsettled: [], releasedClaimIds: new Set([claimId(claim)]) });
      expect(view.availableUnits.get(CHANNEL)).toBe(5);
      expect(view.generation).toBeGreaterThan(generation);
    });

    test('gives back once, however often and at once it is sent', async () => {
      const segment = await open({ units: 5 });
      const claim = await segment.win(request({ units: 2 }));
      const answers = await Promise.all(Array.from({ length: 10 }, () => segment.release(claim)));
      expect(answers.toSorted()).toEqual(['released', ...Array<string>(9).fill('repeated')].toSorted());
      const view = await segment.view();
      expect(await segment.release(claim)).toBe('repeated');
      expect(await segment.view()).toEqual(view);
      expect(await segment.available()).toBe(5);
    });

    test('goes to the quota that sold it', async () => {
      const segment = await open({
        availableUnits: new Map([
          ['app', 1],
          ['web', 1],
        ]),
      });
      const claim = await segment.win(request({ channel: 'app' }));
      await segment.release(claim);
      expect([await segment.available('app'), await segment.available('web')]).toEqual([1, 1]);
    });

    test('of a claim that the gate does not know moves nothing', async () => {
      const segment = await open();
      const claim = await segment.win(request({ buyerId: 'one' }));
      const strangers: Claim[] = [
        unheardOf(segment),
        { ...claim, buyerId: 'another' },
        { ...claim, orderId: 'another' },
        { ...claim, origin: { ...claim.origin, seq: 2 } },
        { ...claim, origin: { ...claim.origin, epoch: 2 } },
        { ...claim, origin: { ...claim.origin, channel: 'app' } },
        { ...claim, origin: { ...claim.origin, region: 'another' } },
        { ...claim, origin: { ...claim.origin, segment: 3 } },
      ];
      const view = await segment.view();
      for (const stranger of strangers) expect(await segment.release(stranger)).toBe('unknown_claim');
      expect(await segment.view()).toEqual(view);
    });

    test('of another epoch moves nothing', async () => {
      const segment = await open();
      const claim = await segment.win(request());
      const view = await segment.view();
      for (const epoch of [0, 2]) expect(await segment.release(claim, epoch)).toBe('not_ready');
      expect(await segment.view()).toEqual(view);
    });

    test('P10: ends the one claim of an order that it names', async () => {
      const key = newSegment();
      const held = { ...unheardOf(segmentOn(store(), key, await termsOfTest(store()))), orderId: 'x', buyerId: 'one' };
      const second = { ...held, origin: { ...held.origin, seq: 2 } };
      const segment = await open({
        segment: key,
        epoch: 2,
        units: 5,
        terms: { limitUnits: 2 },
        marks: [markOfClaim(second, 'claimed'), markOfClaim(held, 'settled')],
      });
      const another = request({ buyerId: 'one' });
      expect(await segment.claimOne(another)).toEqual({ kind: 'over_limit', liveOrderIds: ['x'] });

      expect(await segment.release(second, 2)).toBe('released');
      expect(await segment.available()).toBe(6);
      // The order lives: its token is answered with it, and it still counts.
      expect(await segment.claimOne({ ...another, orderId: 'x' })).toMatchObject({
        kind: 'replayed',
        mark: { state: 'settled', origin: held.origin },
      });
      expect(await segment.claimOne({ ...another, units: 2 })).toMatchObject({ kind: 'over_limit' });
      expect(await segment.claimOne(another)).toMatchObject({ kind: 'claimed' });

      expect(await segment.release(held, 2)).toBe('released');
      expect(await segment.release(held, 2)).toBe('repeated');
      expect(await segment.available()).toBe(6);
    });
  });

  describe('a release to the centre', () => {
    test('P12: frees claim and limit, and gives the quota nothing', async () => {
      const segment = await open({ units: 5 });
      const claim = await segment.win(request({ buyerId: 'one', units: 2 }));
      expect(await segment.claimOne(request({ buyerId: 'one' }))).toMatchObject({ kind: 'over_limit' });
      const { generation } = await segment.view();
      expect(await segment.release(claim, 1, 'centre')).toBe('released');
      expect(await segment.view()).toMatchObject({
        ...{ unsettled: [], releasedClaimIds: new Set([claimId(claim)]) },
        ...{ availableUnits: new Map([[CHANNEL, 3]]), generation },
      });
      for (const destination of ['centre', 'quota'] as const) {
        expect(await segment.release(claim, 1, destination)).toBe('repeated');
      }
      expect(await segment.available()).toBe(3);
      expect(await segment.claimOne(request({ buyerId: 'one' }))).toMatchObject({ kind: 'claimed' });
    });
  });

  describe('a debit', () => {
    test('takes up to what is asked for, and no more than there is', async () => {
      const segment = await open({ units: 5 });
      expect(await segment.debit('back-1', 3)).toEqual({ kind: 'debited', units: 3 });
      expect(await segment.available()).toBe(2);
      expect(await segment.debit('back-2', 3)).toEqual({ kind: 'debited', units: 2 });
      expect(await segment.claimOne(request())).toEqual({ kind: 'dry' });
      expect((await segment.view()).debitedUnits).toEqual(
        new Map([
          ['back-1', 3],
          ['back-2', 2],
        ]),
      );
    });

    test('of all takes all', async () => {
      const segment = await open({ units: 5 });
      await segment.win(request({ units: 2 }));
      expect(await segment.debit('back', null)).toEqual({ kind: 'debited', units: 3 });
      expect(await segment.debit('back-of-nothing', null)).toEqual({ kind: 'debited', units: 0 });
      expect(await segment.available()).toBe(0);
    });

    test('P3: is made once per move, its figure told for ever, whatever has come to the quota since', async () => {
      const segment = await open({ units: 5 });
      const answers = await Promise.all(Array.from({ length: 10 }, () => segment.debit('back', 3)));
      expect(answers.map((answer) => (typeof answer === 'object' ? answer.kind : answer)).toSorted()).toEqual([
        'debited',
        ...Array<string>(9).fill('repeated'),
      ]);
      expect(await segment.debit('nothing', null)).toEqual({ kind: 'debited', units: 2 });
      expect(await segment.debit('late', 1)).toEqual({ kind: 'debited', units: 0 });
      await segment.credit('move', 7);
      expect(await segment.debit('back', null)).toEqual({ kind: 'repeated', units: 3 });
      expect(await segment.debit('late', 1)).toEqual({ kind: 'repeated', units: 0 });
      expect(await segment.available()).toBe(7);
    });

    test('of another epoch, or of a quota that is missing, moves nothing and is not remembered', async () => {
      const segment = await open({ epoch: 2 });
      const view = await segment.view();
      for (const epoch of [1, 3]) expect(await segment.debit('back', 3, { epoch })).toBe('not_ready');
      expect(await segment.debit('back', 3, { epoch: 2, channel: 'app' })).toBe('not_ready');
      expect(await segment.view()).toEqual(view);
      expect(await segment.debit('back', 3, { epoch: 2 })).toEqual({ kind: 'debited', units: 3 });
    });

    test('is forgotten with its epoch', async () => {
      const segment = await open({ units: 5 });
      await segment.debit('back', 3);
      await segment.load({ epoch: 2, units: 5 });
      expect(await segment.debit('back', 3)).toBe('not_ready');
      expect(await segment.debit('back', 4, { epoch: 2 })).toEqual({ kind: 'debited', units: 4 });
    });

    test.each([0, -1, 0.5, Number.NaN])('of %d units is refused whole', async (units) => {
      const segment = await open();
      const view = await segment.view();
      await expect(segment.debit('back', units)).rejects.toThrow();
      expect(await segment.view()).toEqual(view);
    });

    test('leaves replays and marks alone: who has bought has bought', async () => {
      const segment = await open({ units: 2 });
      const wanted = request();
      await segment.win(wanted);
      await segment.debit('back', null);
      expect(await segment.claimOne(wanted)).toMatchObject({ kind: 'replayed' });
    });
  });

  describe('settled claims', () => {
    test('are no longer unsettled, and stay claimed', async () => {
      const segment = await open();
      const [first, second] = [await segment.win(request()), await segment.win(request())];
      expect(await markSettled(segment, [first])).toBe('marked');
      expect(await segment.view()).toMatchObject({ unsettled: [second], releasedClaimIds: new Set() });
      expect(await segment.available()).toBe(8);
    });

    test('may be marked again; unknown ones are ignored', async () => {
      const segment = await open();
      const claim = await segment.win(request());
      await markSettled(segment, [claim]);
      const view = await segment.view();
      const another = { ...claim, origin: { ...claim.origin, seq: 9 } };
      expect(await markSettled(segment, [claim, another, unheardOf(segment, { orderId: 'another' })])).toBe('marked');
      expect(await segment.view()).toEqual(view);
    });

    test('that ended stay ended', async () => {
      const segment = await open({ units: 1 });
      const wanted = request();
      const claim = await segment.win(wanted);
      await segment.release(claim);
      expect(await markSettled(segment, [claim])).toBe('marked');
      expect(await segment.release(claim)).toBe('repeated');
      expect(await segment.claimOne(wanted)).toMatchObject({ mark: { state: 'ended' } });
      expect(await segment.available()).toBe(1);
    });
  });

  describe('terms', () => {
    test('are what claims are judged by, from then on', async () => {
      const segment = await open();
      expect(await segment.setTerms({ state: 'paused' })).toBe('set');
      expect(await segment.claimOne(request())).toEqual({ kind: 'paused' });
      expect(await segment.setTerms({ state: 'live', limitUnits: 5 })).toBe('set');
      expect(await segment.claimOne(request({ units: 5 }))).toMatchObject({ kind: 'claimed' });
      expect((await segment.view()).terms).toEqual({ ...segment.terms, limitUnits: 5 });
    });

    test('of another epoch change nothing', async () => {
      const segment = await open({ epoch: 2 });
      for (const epoch of [1, 3]) expect(await segment.setTerms({ state: 'closed' }, epoch)).toBe('not_ready');
      expect((await segment.view()).terms.state).toBe('live');
    });

    test('of an older version never replace newer ones: a late pause does not outlive the resume', async () => {
      const segment = await open();
      const { version } = segment.terms;
      expect(await segment.setTerms({ version: version + 2, state: 'closed' })).toBe('set');
      expect(await segment.setTerms({ version: version + 1, state: 'live' })).toBe('stale');
      expect(await segment.claimOne(request())).toEqual({ kind: 'closed' });
      expect(await segment.setTerms({ version: version + 2, state: 'closed' })).toBe('set');
    });

    test('P13: raise the generation when they can open the sale to somebody', async () => {
      const segment = await open();
      const generation = async () => (await segment.view()).generation;
      let before = await generation();
      await segment.setTerms({ state: 'paused' });
      expect(await generation()).toBe(before);
      for (const opening of [{}, { limitUnits: 9 }, { endsAtMs: segment.terms.endsAtMs + 1 }]) {
        await segment.setTerms(opening);
        expect(await generation()).toBeGreaterThan(before);
        before = await generation();
      }
    });
  });

  describe('a load', () => {
    test('replaces quotas, marks and moves, and keeps the queue', async () => {
      const segment = await open({ units: 5 });
      const gone = await segment.win(request());
      await segment.credit('move-1', 1);
      const { generation } = await segment.view();
      expect(await segment.load({ epoch: 2, units: 7 })).toBe('loaded');
      expect(await segment.view()).toEqual({
        segment: segment.key,
        identity: await store().gate.identity(segment.key),
        epoch: 2,
        terms: segment.terms,
        availableUnits: new Map([[CHANNEL, 7]]),
        totals: new Map([[CHANNEL, totalsAtLoad(7)]]),
        unsettled: [],
        appliedMoveIds: new Set(),
        debitedUnits: new Map(),
        releasedClaimIds: new Set(),
        position: { epoch: 2, seq: 0 },
        generation: expect.any(Number),
      });
      expect((await segment.view()).generation).toBeGreaterThan(generation);
      expect(await segment.queued()).toEqual([claimId(gone)]);
      expect(await segment.release(gone, 2)).toBe('unknown_claim');
      expect(await segment.credit('move-1', 1, { epoch: 2 })).toBe('credited');
    });

    test('brings the marks of live and of ended orders and of the queue', async () => {
      const segment = await open({ units: 5 });
      const wanted = requests(3);
      const [queued, live, ended] = [
        await segment.win(request(wanted[0])),
        await segment.win(request(wanted[1])),
        await segment.win(request(wanted[2])),
      ];
      const marks = [markOfClaim(queued, 'claimed'), markOfClaim(live, 'settled'), markOfClaim(ended, 'ended')];
      await segment.load({ epoch: 2, units: 3, marks });
      expect(await segment.view()).toMatchObject({ unsettled: [queued], releasedClaimIds: new Set([claimId(ended)]) });
      expect(kindsOf(await segment.claim(wanted))).toEqual(['replayed', 'replayed', 'replayed']);
      expect(await segment.available()).toBe(3);
      expect(await segment.release(ended, 2)).toBe('repeated');
      expect(await segment.release(live, 2)).toBe('released');
      expect(await segment.release(queued, 2)).toBe('released');
      expect(await segment.available()).toBe(5);
    });

    test('begins its sequence anew, at positions that were never used', async () => {
      const segment = await open();
      const first = await segment.win(request());
      await segment.load({ epoch: 2 });
      const second = await segment.win(request());
      expect([first.origin, second.origin]).toMatchObject([
        { epoch: 1, seq: 1 },
        { epoch: 2, seq: 1 },
      ]);
      expect(await segment.queued()).toEqual([claimId(first), claimId(second)]);
    });

    test('P8: is refused unless its epoch is higher, so the same one is taken once', async () => {
      const segment = await open({ epoch: 2, units: 5 });
      await segment.win(request());
      const view = await segment.view();
      for (const epoch of [0, 1, 2]) expect(await segment.load({ epoch, units: 5 })).toBe('not_ready');
      expect(await segment.view()).toEqual(view);
    });

    test('P8: is refused by another server than the queue was read from', async () => {
      const segment = await open();
      const call = await segment.call();
      await store().lose();
      const load: SegmentLoad = {
        segment: segment.key,
        epoch: 2,
        terms: segment.terms,
        availableUnits: new Map(),
        marks: [],
      };
      expect(await store().gate.load(call, load)).toBe('not_ready');
      expect(await store().gate.read(segment.key)).toBeNull();
      expect(await store().gate.load(await segment.call(), load)).toBe('loaded');
    });

    test.each([-1, 0.5, Number.NaN, 2 ** 53])('of %d units is refused whole', async (units) => {
      const segment = await open();
      const view = await segment.view();
      await expect(segment.load({ epoch: 2, units })).rejects.toThrow();
      expect(await segment.view()).toEqual(view);
    });
  });

  describe('P2: a call that is late or means another server', () => {
    const calls: Record<
      string,
      (segment: OpenSegment, claim: Claim, call: Awaited<ReturnType<OpenSegment['call']>>) => Promise<unknown>
    > = {
      credit: (_segment, _claim, call) =>
        store().gate.credit(call, { moveId: 'm', epoch: 1, channel: CHANNEL, units: 1 }),
      release: (_segment, claim, call) => store().gate.release(call, claim, 1, 'quota'),
      debit: (_segment, _claim, call) =>
        store().gate.debit(call, { moveId: 'd', epoch: 1, channel: CHANNEL, units: null }),
      markSettled: (_segment, claim, call) => store().gate.markSettled(call, [claim]),
      setTerms: (segment, _claim, call) => store().gate.setTerms(call, { ...segment.terms, state: 'closed' }, 1),
      load: (segment, _claim, call) =>
        store().gate.load(call, {
          segment: segment.key,
          epoch: 2,
          terms: segment.terms,
          availableUnits: new Map(),
          marks: [],
        }),
    };

    test.each(Object.keys(calls))('%s moves nothing', async (name) => {
      const segment = await open();
      const claim = await segment.win(request());
      const view = await segment.view();
      const intime = await segment.call();
      const run = calls[name];
      expect(await run?.(segment, claim, { ...intime, identity: 'another' })).toBe('not_ready');
      await store().pass(CALL_MS + 1);
      expect(await run?.(segment, claim, intime)).toBe('late');
      expect(await segment.view()).toEqual(view);
    });

    test.each(Object.keys(calls))('%s is not late at its deadline', async (name) => {
      const segment = await open();
      const claim = await segment.win(request());
      const intime = await segment.call();
      await store().pass(CALL_MS);
      const answer = await calls[name]?.(segment, claim, intime);
      const isDebit = typeof answer === 'object' && answer !== null && 'kind' in answer;
      expect(['credited', 'released', 'marked', 'set', 'loaded', 'debited']).toContain(isDebit ? answer.kind : answer);
    });

    test.each(Object.keys(calls).filter((name) => name !== 'load'))('%s on no segment makes none', async (name) => {
      const segment = segmentOn(store(), newSegment(), await termsOfTest(store()));
      expect(await calls[name]?.(segment, unheardOf(segment), await segment.call())).toBe('not_ready');
      expect(await store().gate.read(segment.key)).toBeNull();
    });
  });

  test('a server that was lost is another server', async () => {
    const key = newSegment();
    const before = await store().gate.identity(key);
    expect(await store().gate.identity(key)).toBe(before);
    await store().lose();
    expect(await store().gate.identity(key)).not.toBe(before);
  });

  test('a view stays as it was read', async () => {
    const segment = await open();
    const view = await segment.view();
    const copy = { ...view, availableUnits: new Map(view.availableUnits), unsettled: [...view.unsettled] };
    const claim = await segment.win(request());
    await segment.credit('move-1', 1);
    await segment.release(claim);
    expect(view).toEqual(copy);
  });
}
