import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SetAside } from '../ports/quarantine.ts';
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
    world = await newHttpWorld({ stub: { quarantine: { list } } });
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
