/** Many worlds, one after the other: the first that breaks a promise ends the run, and what was never met is told. */
import { SCENARIOS, SEEDS_FOR_ALL_MARKS } from './scenarios.ts';
import { runSimulation, type SimulationOptions, type SimulationResult } from './simulation.ts';

export interface SeedsOptions extends Omit<SimulationOptions, 'seed'> {
  readonly from: number;
  readonly count: number;
  /** Called after each world. */
  readonly onProgress?: (done: number, result: SimulationResult) => void;
}

export interface SeedsResult {
  /** Worlds that were run. */
  readonly seeds: number;
  readonly steps: number;
  readonly virtualMs: number;
  readonly seen: ReadonlyMap<string, number>;
  /** Marks that the scenario promises and no seed met; empty when there were too few seeds to tell. */
  readonly neverSeen: readonly string[];
  /** The first world with a violation, or null. */
  readonly failure: SimulationResult | null;
}

export async function runSeeds({ from, count, onProgress, ...options }: SeedsOptions): Promise<SeedsResult> {
  const seen = new Map<string, number>();
  let [seeds, steps, virtualMs] = [0, 0, 0];
  let failure: SimulationResult | null = null;
  while (seeds < count && failure === null) {
    const result = await runSimulation({ ...options, seed: from + seeds });
    seeds += 1;
    steps += result.steps;
    virtualMs += result.virtualMs;
    for (const [mark, times] of result.seen) seen.set(mark, (seen.get(mark) ?? 0) + times);
    if (result.violations.length > 0) failure = result;
    onProgress?.(seeds, result);
  }
  const marks: readonly string[] = SCENARIOS[options.scenario ?? 'swarm'].marks;
  const neverSeen = seeds < SEEDS_FOR_ALL_MARKS ? [] : marks.filter((mark) => !seen.has(mark));
  return { seeds, steps, virtualMs, seen, neverSeen, failure };
}
