import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvariantError } from '../invariant.ts';
import { type Quota, unorderedUnits } from '../inventory/quota.ts';
import type { Claim } from '../order/claim.ts';
import { isLive, ORDER_STATES, type Order, type OrderState } from '../order/order.ts';
import { type EpochSnapshot, planLoad } from './plan-load.ts';

const segment = { saleId: 'sale', region: 'main', segment: 0 };
const terms = { version: 1, state: 'live', startsAtMs: 0, endsAtMs: 1, limitUnits: 2 } as const;

const quota = (channel: string, changes: Partial<Quota> = {}): Quota => ({
  ...segment,
  channel,
  allottedUnits: 10,
  heldUnits: 0,
  soldUnits: 0,
  quarantinedUnits: 0,
  ...changes,
});

const claim = (seq: number, changes: Partial<Claim> = {}, channel = 'web'): Claim => ({
  orderId: `order-${seq}`,
  saleId: 'sale',
  buyerId: `buyer-${seq}`,
  units: 1,
  origin: { region: 'main', segment: 0, channel, epoch: 1, seq },
  ...changes,
});

const order = (from: Claim, state: OrderState): Order => ({
  ...from,
  state,
  refusal: null,
  settledAtMs: 0,
  dueAtMs: null,
});

const plan = (changes: Partial<EpochSnapshot>) =>
  planLoad({ segment, epoch: 2, terms, quotas: [quota('web')], orders: [], countedClaims: [], ...changes });

describe('the load of a rebuilt segment', () => {
  test('has per channel what no order and no queued claim has', () => {
    const { availableUnits, ...load } = plan({
      quotas: [quota('web', { heldUnits: 1, soldUnits: 2, quarantinedUnits: 3 }), quota('app', { allottedUnits: 4 })],
      countedClaims: [claim(1, { units: 2 }), claim(2, { units: 3 }, 'app')],
    });
    expect(availableUnits).toEqual(
      new Map([
        ['web', 2],
        ['app', 1],
      ]),
    );
    expect(load).toMatchObject({ segment, epoch: 2, terms });
  });

  test('is refused when the queue has more than the quota: somebody counted wrong', () => {
    expect(() => plan({ countedClaims: [claim(1, { units: 11 })] })).toThrow(InvariantError);
  });

  test.each(ORDER_STATES)('marks an order that is %s', (state) => {
    const { marks } = plan({ orders: [order(claim(1), state)] });
    const { orderId, buyerId, units, origin } = claim(1);
    expect(marks).toEqual([{ orderId, buyerId, units, origin, state: isLive(state) ? 'settled' : 'ended' }]);
  });

  test('P9: lets the queued claim of an ended order win over its mark', () => {
    const second = claim(2, { orderId: 'order-1' });
    const { marks } = plan({ orders: [order(claim(1), 'cancelled')], countedClaims: [second] });
    expect(marks).toEqual([expect.objectContaining({ origin: second.origin, state: 'claimed' })]);
  });

  test('P10: keeps both claims of a live order', () => {
    const second = claim(2, { orderId: 'order-1' });
    const { marks } = plan({ orders: [order(claim(1), 'pending')], countedClaims: [second] });
    expect(marks).toEqual([
      expect.objectContaining({ origin: second.origin, state: 'claimed' }),
      expect.objectContaining({ origin: claim(1).origin, state: 'settled' }),
    ]);
  });

  test('law: available and counted are together what the quota has that no order has', () => {
    const channels = ['app', 'web'];
    const units = fc.nat({ max: 5 });
    fc.assert(
      fc.property(
        fc.tuple(units, units, units, units),
        fc.array(fc.record({ channel: fc.constantFrom(...channels), units: fc.integer({ min: 1, max: 3 }) }), {
          maxLength: 5,
        }),
        ([heldUnits, soldUnits, quarantinedUnits, spare], queued) => {
          const countedClaims = queued.map((each, at) => claim(at + 1, { units: each.units }, each.channel));
          const queuedUnits = (channel: string) =>
            queued.filter((each) => each.channel === channel).reduce((sum, each) => sum + each.units, 0);
          const quotas = channels.map((channel) =>
            quota(channel, {
              heldUnits,
              soldUnits,
              quarantinedUnits,
              allottedUnits: heldUnits + soldUnits + quarantinedUnits + queuedUnits(channel) + spare,
            }),
          );
          const load = plan({ quotas, countedClaims });
          for (const each of quotas) {
            expect((load.availableUnits.get(each.channel) ?? Number.NaN) + queuedUnits(each.channel)).toBe(
              unorderedUnits(each),
            );
          }
          expect(load.marks).toHaveLength(queued.length);
        },
      ),
    );
  });
});
