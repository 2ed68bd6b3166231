import { describe, expect, it } from 'vitest';
import { buildEngine } from '../compose/build-engine.ts';
import type { Stores } from './gate-server.ts';
import { runSeeds, runSimulation, SCENARIOS, type ScenarioName } from './index.ts';
import type { SimulationResult } from './simulation.ts';

const barrier = () =>
  new Promise<void>((resolve) => {
    setImmediate(resolve);
  });

/** Enough to meet every mark; the last two columns of a failure are how to see it again. */
const WORLDS: readonly (readonly [ScenarioName, number])[] = [
  ['swarm', 200],
  ['order-life', 100],
  ['events', 60],
  ['gift-pack', 250],
  ['exchange', 120],
  ['ending', 430],
  ['gate-loss', 250],
  ['lost-answers', 60],
  ['worker-crash', 60],
  ['ledger-faults', 60],
  ['segments', 100],
  ['storm', 200],
  ['group', 60],
  ['calm', 30],
];

function told(failure: SimulationResult | null): string {
  if (!failure) return 'every promise was kept';
  const { seed, scenario, summary, violations } = failure;
  const broken = violations.map(({ invariant, detail, trace }) => [`${invariant}: ${detail}`, ...trace].join('\n'));
  return [`seed ${seed} of ${scenario} (${summary})`, ...broken].join('\n');
}

describe('a simulated world', () => {
  it('has the same history to the byte whenever its seed is run', async () => {
    const hashes = new Set<string>();
    for (let seed = 1; seed <= 20; seed++) {
      const first = await runSimulation({ seed, barrier, buildEngine });
      const second = await runSimulation({ seed, barrier, buildEngine });
      expect(second.traceHash, `seed ${seed}`).toBe(first.traceHash);
      expect(second.steps).toBe(first.steps);
      hashes.add(first.traceHash);
    }
    expect(hashes.size).toBe(20);
  });
});

/** A test of its own each: time is virtual there, and none of them takes a busy machine long. */
const SEEDS_A_TEST = 25;

describe.each(WORLDS)('a simulated world: %s, %i seeds', (scenario, count) => {
  const firsts = Array.from({ length: Math.ceil(count / SEEDS_A_TEST) }, (_, index) => 1 + index * SEEDS_A_TEST);
  const met = new Set<string>();
  let worlds = 0;

  it.each(firsts)('keeps every promise, from seed %i on', async (from) => {
    const share = Math.min(SEEDS_A_TEST, count + 1 - from);
    const { seeds, failure, seen } = await runSeeds({ from, count: share, scenario, barrier, buildEngine });
    expect(told(failure)).toBe('every promise was kept');
    expect(seeds).toBe(share);
    worlds += seeds;
    for (const mark of seen.keys()) met.add(mark);
  });

  it('meets every mark in all of them', () => {
    expect(worlds).toBe(count);
    expect(SCENARIOS[scenario].marks.filter((mark) => !met.has(mark))).toEqual([]);
  });
});

/** Every third read loses what it read: the entries are gone, the claims stand. */
function losesEntries(stores: Stores): Stores {
  let reads = 0;
  const read: typeof stores.queue.read = async (consumer, max) => {
    const entries = await stores.queue.read(consumer, max);
    if (entries.length > 0) reads += 1;
    if (reads % 3 !== 0) return entries;
    await stores.queue.remove(entries.map((entry) => entry.claim));
    return [];
  };
  return { ...stores, queue: { ...stores.queue, read } };
}

describe('a queue that loses entries', () => {
  it.each(['calm', 'gate-loss', 'worker-crash'] as const)('P14: breaks no promise: %s', async (scenario) => {
    const { failure } = await runSeeds({ from: 1, count: 40, scenario, barrier, buildEngine, plant: losesEntries });
    expect(told(failure)).toBe('every promise was kept');
  });
});

describe('a run over many seeds', () => {
  it('ends at the first world that breaks a promise, and tells which and how', async () => {
    const forgetful = (parts: Parameters<typeof buildEngine>[0]) => {
      const engine = buildEngine(parts);
      return { ...engine, findOrder: async () => null };
    };
    const { failure, seeds } = await runSeeds({
      from: 1,
      count: 50,
      scenario: 'calm',
      barrier,
      buildEngine: forgetful,
    });
    expect(failure?.seed).toBe(seeds);
    expect(failure?.violations[0]).toMatchObject({ invariant: 'an order that was told is found' });
    expect(failure?.violations[0]?.trace.length).toBeGreaterThan(0);
    expect(failure?.violations[0]?.trace.length).toBeLessThanOrEqual(40);
  });
});
