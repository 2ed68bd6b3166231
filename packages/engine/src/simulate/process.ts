/**
 * A process of the deployment: it has a clock, ids and a life. When it dies its timers never fire and its answers never
 * arrive, so that whatever it awaited is awaited for ever; what it had sent is on its way all the same.
 */
import type { Clock } from '../ports/clock.ts';
import type { IdSource } from '../ports/id-source.ts';
import type { World } from './world.ts';

/** The wall clock at the beginning of every world. */
export const WORLD_BEGINS_MS = 1_700_000_000_000;

export interface Process {
  readonly name: string;
  readonly isAlive: boolean;
  readonly isStalled: boolean;
  readonly clock: Clock;
  readonly idSource: IdSource;
  die(): void;
  /** Does nothing for a while, then goes on as if nothing had been: stopped by its host, or collecting garbage. */
  stall(ms: number): void;
  /** Called once, when it dies. */
  onDeath(listener: () => void): void;
}

/** `skewMs`: how far its wall clock is ahead of the servers'. */
export function createProcess(world: World, name: string, skewMs: number): Process {
  let isAlive = true;
  let ids = 0;
  let stallsUntilMs = 0;
  const listeners: (() => void)[] = [];

  function run(action: () => void): void {
    if (!isAlive) return;
    if (world.nowMs() < stallsUntilMs) world.after(stallsUntilMs - world.nowMs(), () => run(action));
    else action();
  }

  return {
    name,
    get isAlive() {
      return isAlive;
    },
    get isStalled() {
      return world.nowMs() < stallsUntilMs;
    },
    clock: {
      nowMs: () => WORLD_BEGINS_MS + world.nowMs() + skewMs,
      monotonicMs: () => world.nowMs(),
      after(delayMs, action) {
        let isCalledOff = false;
        const callOff = world.after(delayMs, () => run(() => isCalledOff || action()));
        return () => {
          isCalledOff = true;
          callOff();
        };
      },
    },
    idSource: {
      newId() {
        ids += 1;
        // The bar ends the id, so that a search of the trace for ~1 does not find ~12.
        return `${name}~${ids}|`;
      },
    },
    die() {
      if (!isAlive) return;
      isAlive = false;
      world.note(`${name} dies`);
      for (const listener of listeners) listener();
    },
    stall(ms) {
      world.note(`${name} stalls for ${ms} ms`);
      stallsUntilMs = world.nowMs() + ms;
    },
    onDeath(listener) {
      listeners.push(listener);
    },
  };
}

/** The clock of the stores: every one of them lives on a server whose clock is right. */
export function serverClock(world: World): Clock {
  return {
    nowMs: () => WORLD_BEGINS_MS + world.nowMs(),
    monotonicMs: () => world.nowMs(),
    after: (delayMs, action) => world.after(delayMs, action),
  };
}
