import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimId } from '../domain/order/claim.ts';
import { type SetAside, unreadId } from '../ports/quarantine.ts';
import { type HttpWorld, newHttpWorld } from './http-world.contract.ts';

const PATH = '/v1/admin/quarantine';

const origin = { region: 'home', segment: 0, channel: 'main', epoch: 1, seq: 7 };
const claim = { orderId: 'o', saleId: 'skin', buyerId: 'ann', units: 2, origin };
const ASIDE: readonly SetAside[] = [
  { id: 'o@home', saleId: 'skin', units: 2, reason: 'The ledger refused it.', what: { kind: 'claim', claim } },
  {
    ...{ id: 'unread:skin/home/0/1-8', saleId: 'skin', units: 0, reason: 'The entry cannot be read.' },
    what: { kind: 'unread', entry: { segment: { saleId: 'skin', region: 'home', segment: 0 }, id: '1-8', text: 'hi' } },
  },
];

describe('what was set aside', () => {
  let world: HttpWorld;
  beforeAll(async () => {
    const list = async (after: string | null, max: number) =>
      ASIDE.filter(({ id }) => after === null || id > after).slice(0, max);
    const nothing = async () => ({ kind: 'absent' as const });
    world = await newHttpWorld({ stub: { quarantine: { list, replay: nothing, drop: nothing } } });
  });
  afterAll(() => world.close());
  const asAdmin = (query: string) => world.call('GET', `${PATH}${query}`, { admin: true });

  it('is for operators only', async () => {
    expect((await world.call('GET', PATH, { server: true })).json.reason).toBe('unauthenticated');
  });

  it('is listed in pages, claims and entries alike', async () => {
    const first = (await asAdmin('?limit=1')).json;
    expect(first).toEqual({
      quarantine: [
        {
          ...{ id: 'o@home', kind: 'claim', saleId: 'skin', units: 2, reason: 'The ledger refused it.' },
          ...{ orderId: 'o', buyer: 'ann', text: null },
        },
      ],
      next: 'o@home',
    });
    expect((await asAdmin(`?after=${encodeURIComponent(first.next)}`)).json).toEqual({
      quarantine: [
        {
          ...{ id: 'unread:skin/home/0/1-8', kind: 'unread', saleId: 'skin', units: 0 },
          ...{ reason: 'The entry cannot be read.', orderId: null, buyer: null, text: 'hi' },
        },
      ],
      next: null,
    });
  });

  it('is empty where nothing was', async () => {
    const own = await newHttpWorld();
    expect((await own.call('GET', PATH, { admin: true })).json).toEqual({ quarantine: [], next: null });
    await own.close();
  });
});

describe('what a person takes out of quarantine', () => {
  let world: HttpWorld;
  beforeAll(async () => {
    world = await newHttpWorld();
    await world.openSale('skin', { totalUnits: 3, limitUnits: 2 });
  });
  afterAll(() => world.close());

  const takeOut = (call: string, id: string, headers = {}) =>
    world.call('POST', `${PATH}/${call}`, { admin: true, body: { id }, headers });
  const places = async () => (await world.call('GET', '/v1/admin/sales/skin/places', { admin: true })).json;

  /** A win that the ledger was made to set aside before it was settled. */
  async function setAside(buyer: string) {
    const token = await world.tokenFor('skin', buyer);
    await world.engine.stop();
    const buying = world.buy('skin', buyer, token, 2);
    const segment = { saleId: 'skin', region: 'home', segment: 0 };
    await expect.poll(() => world.store.queue.peek(segment)).toHaveLength(1);
    const [entry] = await world.store.queue.peek(segment);
    if (!entry) throw new Error('it is queued');
    await world.ledger.settlement.quarantine(entry.claim, 'by hand');
    await world.store.queue.remove([entry.claim]);
    await buying;
    await world.engine.start();
    expect(await places()).toMatchObject({ quarantined: 2 });
    return { id: claimId(entry.claim), orderId: entry.claim.orderId };
  }

  it('is settled once, and again by the same key is the same answer', async () => {
    const { id, orderId } = await setAside('ann');
    const headers = { 'idempotency-key': 'once' };
    const settled = { id, orderId, status: 'pending', repeated: false };
    expect((await takeOut('replay', id, headers)).json).toEqual(settled);
    expect((await takeOut('replay', id, headers)).json).toEqual(settled);
    expect(await takeOut('replay', id)).toMatchObject({ status: 404, json: { reason: 'not_found' } });
    expect(await places()).toMatchObject({ balanced: true, held: 2, quarantined: 0 });
    const cancelled = await world.call('POST', `/v1/orders/${orderId}/cancel`, { as: 'ann' });
    expect(cancelled.status).toBe(200);
  });

  it('is dropped: its buyer hears that it is refused, and its units are sold again', async () => {
    const { id, orderId } = await setAside('ben');
    expect((await takeOut('drop', id)).json).toEqual({ id, orderId, status: 'refused', repeated: false });
    expect((await takeOut('drop', id)).json.reason).toBe('not_found');
    const shown = (await world.call('GET', `/v1/orders/${orderId}`, { as: 'ben' })).json;
    expect(shown).toMatchObject({ status: 'refused', refusal: 'dropped' });
    await expect.poll(places).toMatchObject({ balanced: true, available: 3, quarantined: 0 });
    expect((await world.buy('skin', 'ben', await world.tokenFor('skin', 'ben'), 2)).status).toBe(202);
  });

  it('stays, with a sentence, when the ledger or its text still says no', async () => {
    const strange = { ...claim, orderId: 'strange', saleId: 'no-such-sale' };
    await world.ledger.settlement.quarantine(strange, 'unknown sale');
    const segment = { saleId: 'skin', region: 'home', segment: 0 };
    const entry = { segment, id: '1-99', text: 'hello' };
    await world.ledger.quarantine.keep([entry]);
    for (const [id, detail] of [
      [claimId(strange), expect.stringContaining('The ledger refuses it')],
      [unreadId(entry), expect.stringContaining('It cannot be read')],
    ] as const) {
      expect(await takeOut('replay', id)).toMatchObject({ status: 409, json: { reason: 'wrong_state', detail } });
      expect((await takeOut('drop', id)).json).toEqual({ id, orderId: null, status: null, repeated: false });
    }
  });
});
