import { describe, expect, it } from 'vitest';
import { Fault } from '../domain/fault.ts';
import { createProcess } from './process.ts';
import { createRandom } from './random.ts';
import { createPlainSigner } from './signer.ts';
import { createWire, NO_FAULTS, type WireFaults } from './wire.ts';
import { createWorld } from './world.ts';

function emptyWorld(seed = 1) {
  const barrier = () =>
    new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
  return createWorld({ seed, barrier, afterStep: () => null });
}

const never = () => false;

describe('a world', () => {
  it('lets things happen by time, and each with its promises before the next', async () => {
    const world = emptyWorld();
    const order: string[] = [];
    const step = async (name: string) => {
      await Promise.resolve();
      await Promise.resolve();
      order.push(`${name} at ${world.nowMs()}`);
    };
    for (const ms of [30, 10, 20]) world.after(ms, () => void step(String(ms)));
    world.after(15, () => order.push('never'))();
    await world.run(25, never);
    expect(order).toEqual(['10 at 10', '20 at 20']);
    expect(world.nowMs()).toBe(25);
  });

  it('draws lots for what falls on the same millisecond: seeds differ, a seed does not', async () => {
    const orderOf = async (seed: number) => {
      const world = emptyWorld(seed);
      const order: number[] = [];
      for (let number = 0; number < 8; number++) world.after(5, () => order.push(number));
      await world.run(10, never);
      return order.join();
    };
    expect(await orderOf(7)).toBe(await orderOf(7));
    expect(new Set([await orderOf(1), await orderOf(2), await orderOf(3)]).size).toBeGreaterThan(1);
  });
});

describe('a process', () => {
  it('never wakes again when it is dead, and late when it was stalled', async () => {
    const world = emptyWorld();
    const woken: string[] = [];
    const dead = createProcess(world, 'dead', 0);
    const stalled = createProcess(world, 'stalled', 0);
    dead.clock.after(10, () => woken.push('dead'));
    stalled.clock.after(10, () => woken.push(`stalled at ${world.nowMs()}`));
    dead.die();
    stalled.stall(500);
    await world.run(1_000, never);
    expect(woken).toEqual(['stalled at 500']);
  });
});

describe('a wire', () => {
  async function callOver(faults: Partial<WireFaults>) {
    const world = emptyWorld();
    const process = createProcess(world, 'p', 0);
    const parts = { world, process, server: 'gate', unavailable: 'gate_unavailable', patienceMs: 100 } as const;
    const wire = createWire({ ...parts, faults: () => ({ ...NO_FAULTS, ...faults }) });
    let runs = 0;
    let end: unknown = 'waiting';
    const call = wire.call('count', async () => {
      runs += 1;
      return runs;
    });
    call.then(
      (answer) => {
        end = answer;
      },
      (error: unknown) => {
        end = error instanceof Fault ? error.code : error;
      },
    );
    await world.run(10_000, never);
    return { runs, end };
  }

  it('carries a call and its answer', async () => {
    expect(await callOver({})).toEqual({ runs: 1, end: 1 });
  });

  it('tells its caller what it knows: nothing sent, or nothing known', async () => {
    expect(await callOver({ unsent: 1 })).toEqual({ runs: 0, end: 'gate_unavailable' });
    expect(await callOver({ requestLost: 1 })).toEqual({ runs: 0, end: 'outcome_unknown' });
    expect(await callOver({ replyLost: 1 })).toEqual({ runs: 1, end: 'outcome_unknown' });
    expect(await callOver({ slow: 1, slowMs: 5_000 })).toEqual({ runs: 1, end: 'outcome_unknown' });
  });

  it('may carry a request twice, and may lose its caller', async () => {
    expect((await callOver({ duplicated: 1 })).runs).toBe(2);
    expect(await callOver({ callerDies: 1 })).toEqual({ runs: 1, end: 'waiting' });
  });
});

describe('what a seed draws', () => {
  it('is spread evenly and stays within its bounds', () => {
    const random = createRandom(1);
    const drawn = Array.from({ length: 3_000 }, () => random.whole(1, 3));
    for (const value of [1, 2, 3]) {
      const times = drawn.filter((each) => each === value).length;
      expect(Math.abs(times - 1_000)).toBeLessThan(120);
    }
    expect(new Set(drawn).size).toBe(3);
  });
});

describe('the plain signer', () => {
  const signer = createPlainSigner('key');
  const text = signer.sign('purchase', ['a', 'b:c', '']);

  it('gives back the fields that it signed', () => {
    expect(signer.verify('purchase', text)).toEqual(['a', 'b:c', '']);
  });

  it('refuses what was changed, is meant for something else, or was signed with another key', () => {
    for (let at = 0; at < text.length; at++) {
      const changed = `${text.slice(0, at)}${text[at] === 'x' ? 'y' : 'x'}${text.slice(at + 1)}`;
      expect(signer.verify('purchase', changed), changed).toBeNull();
    }
    expect(signer.verify('receipt', text)).toBeNull();
    expect(createPlainSigner('other').verify('purchase', text)).toBeNull();
    expect(signer.verify('purchase', '')).toBeNull();
  });
});
