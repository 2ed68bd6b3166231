import { describe, expect, it } from 'vitest';
import { Fault } from '../domain/fault.ts';
import { NOWHERE } from '../domain/inventory/place.ts';
import { TAKE_OVER_AFTER_MS } from '../ports/queue.ts';
import { fulfilGroup } from './fulfil.ts';
import { newWorkerWorld, SEGMENT, turns } from './worker-world.contract.ts';

const OTHER = { saleId: 'pack', region: 'home', segment: 0 };

describe('a worker', () => {
  it('tells the gates that are there what it settled, whichever other is away', async () => {
    const world = await newWorkerWorld(5);
    await world.openSale('pack', 5);
    const [skin] = await world.claim('a');
    const request = { orderId: 'b', buyerId: 'b', channel: 'main', units: 1 };
    await world.gate.claim(await world.session.call(OTHER), [request]);
    const markSettled: typeof world.gate.markSettled = async (call, claims) => {
      if (call.segment.saleId === 'skin') throw new Fault('gate_unavailable');
      return world.gate.markSettled(call, claims);
    };
    const claims = (await world.queue.read('w', 10)).map(({ claim }) => claim);
    expect(claims).toHaveLength(2);
    await fulfilGroup(world.fulfilDeps({ ...world.gate, markSettled }), claims);
    expect(await world.queue.peek(OTHER)).toEqual([]);
    expect((await world.queue.peek(SEGMENT)).map(({ claim }) => claim)).toEqual(
      skin?.kind === 'claimed' ? [skin.claim] : 'won',
    );
    const alone = fulfilGroup(world.fulfilDeps({ ...world.gate, markSettled }), claims.slice(0, 1));
    await expect(alone).rejects.toMatchObject({ code: 'gate_unavailable' });
  });

  it('settles what arrives, without being told when', async () => {
    const world = await newWorkerWorld(5);
    const worker = world.newWorker(world.settlement);
    worker.start();
    await turns();
    await world.claim('a', 'b');
    await turns();
    expect(await world.places()).toEqual({ ...NOWHERE, available: 3, held: 2 });
    expect(await world.queue.depth()).toMatchObject({ entries: 0 });
    await worker.stop();
  });

  it('keeps a group in hand while the ledger fails, and settles it when the ledger is back', async () => {
    const world = await newWorkerWorld(5);
    let isDown = true;
    const worker = world.newWorker({
      ...world.settlement,
      settle: (claims) => (isDown ? Promise.reject(new Fault('storage_full')) : world.settlement.settle(claims)),
    });
    worker.start();
    await world.claim('a');
    for (let second = 0; second < 5; second++) {
      world.clock.advance(1_000);
      await turns();
    }
    expect(world.faults.length).toBeGreaterThan(2);
    expect(await world.places()).toEqual({ ...NOWHERE, available: 4, claimed: 1 });
    isDown = false;
    world.clock.advance(2_000);
    await turns();
    expect(await world.places()).toEqual({ ...NOWHERE, available: 4, held: 1 });
    await worker.stop();
  });

  it('puts a claim that cannot be settled in quarantine, and settles its neighbours', async () => {
    const world = await newWorkerWorld(5);
    const worker = world.newWorker({
      ...world.settlement,
      settle: (claims) =>
        claims.some((claim) => claim.orderId === 'poison')
          ? Promise.reject(new Fault('ledger_constraint', 'a law'))
          : world.settlement.settle(claims),
    });
    await world.claim('a', 'poison', 'b');
    worker.start();
    await turns(60);
    expect(await world.places()).toEqual({ ...NOWHERE, available: 2, held: 2, quarantined: 1 });
    expect(await world.queue.depth()).toMatchObject({ entries: 0 });
    await worker.stop();
  });

  it('takes over what a dead worker had read (K07)', async () => {
    const world = await newWorkerWorld(5);
    const dead = world.newWorker({ ...world.settlement, settle: () => new Promise(() => {}) });
    dead.start();
    await world.claim('a', 'b');
    await turns();
    const heir = world.newWorker(world.settlement);
    heir.start();
    await turns();
    expect(await world.places()).toEqual({ ...NOWHERE, available: 3, claimed: 2 });
    world.clock.advance(TAKE_OVER_AFTER_MS + 1_000);
    await turns();
    expect(await world.places()).toEqual({ ...NOWHERE, available: 3, held: 2 });
    await heir.stop();
  });

  it('gives the units of a refused order back, and they are sold again (K15)', async () => {
    const world = await newWorkerWorld(1);
    // The ledger holds the limit whatever a gate lets through: here the buyer had an order that this gate never saw.
    const earlier = { orderId: 'z', saleId: 'skin', buyerId: 'buyer of a', units: 1 };
    const origin = { region: 'home', segment: 0, channel: 'main', epoch: 1, seq: 99 };
    const worker = world.newWorker({
      ...world.settlement,
      settle: async (claims) => (await world.settlement.settle([{ ...earlier, origin }, ...claims])).slice(1),
    });
    await world.claim('a');
    worker.start();
    await turns();
    expect(await world.orders.find('a')).toMatchObject({ state: 'refused', refusal: 'over_limit' });
    expect((await world.claim('b'))[0]?.kind).toBe('claimed');
    await worker.stop();
  });

  it('stops, and says so, when a promise of our own is broken', async () => {
    const world = await newWorkerWorld(1);
    const worker = world.newWorker({ ...world.settlement, settle: () => Promise.reject(new Error('a bug')) });
    worker.start();
    await world.claim('a');
    await turns();
    expect(world.crashes).toHaveLength(1);
    expect(await world.queue.depth()).toMatchObject({ entries: 1 });
    await worker.stop();
  });
});
