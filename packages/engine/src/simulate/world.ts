/**
 * The world: one virtual clock, one agenda, one stream of chance, one trace. Nothing happens but what is on the agenda, and
 * each happening runs to its end, promises included, before the next: the same seed is the same history, to the byte.
 */
import { createAgenda, type Happening } from './agenda.ts';
import { createRandom, type Random } from './random.ts';
import { createTrace, type Trace } from './trace.ts';

/**
 * Resolves when every promise that can go on has gone on: a macrotask of the host, such as setImmediate. The inside has
 * none of its own.
 */
export type Barrier = () => Promise<void>;

export interface World {
  readonly random: Random;
  readonly trace: Trace;
  /** Milliseconds since the world began. */
  nowMs(): number;
  /** Runs `action` after `delayMs`; the returned function calls it off. */
  after(delayMs: number, action: () => void): () => void;
  sleep(ms: number): Promise<void>;
  /** Writes a line of the trace, under the time. */
  note(line: string): void;
  /** Something that a run over many seeds must have met at least once. */
  sometimes(mark: string): void;
  readonly seen: ReadonlyMap<string, number>;
  readonly steps: number;
  /** Goes on until `isDone` says so after a step, or `untilMs` is reached. */
  run(untilMs: number, isDone: () => boolean): Promise<void>;
}

export interface WorldParts {
  readonly seed: number;
  readonly barrier: Barrier;
  /** Called after every step, when all promises have come to rest; null when there is nothing to wait for. */
  readonly afterStep: () => Promise<void> | null;
}

export function createWorld({ seed, barrier, afterStep }: WorldParts): World {
  const agenda = createAgenda();
  const trace = createTrace();
  const random = createRandom(seed);
  const lots = random.fork();
  const seen = new Map<string, number>();
  let nowMs = 0;
  let steps = 0;

  function after(delayMs: number, action: () => void): () => void {
    const happening: Happening = { atMs: nowMs + delayMs, lot: lots.whole(0, 0x3fff_ffff), action, isCalledOff: false };
    agenda.add(happening);
    return () => {
      happening.isCalledOff = true;
    };
  }

  return {
    random,
    trace,
    seen,
    nowMs: () => nowMs,
    get steps() {
      return steps;
    },
    after,
    sleep: (ms) =>
      new Promise((resolve) => {
        after(ms, resolve);
      }),
    note: (line) => trace.note(`${nowMs} ${line}`),
    sometimes(mark) {
      seen.set(mark, (seen.get(mark) ?? 0) + 1);
    },
    async run(untilMs, isDone) {
      while (!isDone()) {
        const happening = agenda.next(untilMs);
        if (!happening) {
          nowMs = untilMs;
          return;
        }
        nowMs = happening.atMs;
        steps += 1;
        happening.action();
        await barrier();
        const look = afterStep();
        if (look) await look;
      }
    },
  };
}
