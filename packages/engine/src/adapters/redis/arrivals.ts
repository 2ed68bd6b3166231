/** Wakes the readers of the queue: those of this process at once, those of others by a hint, of which one serves many claims. */
import type { Clock } from '../../ports/clock.ts';
import type { Hints } from './hints.ts';
import type { Names } from './keys.ts';

export interface Arrivals {
  /** Something was queued by this process. */
  tell(): void;
  listen(listener: () => void): () => void;
}

/** How long claims may gather before other processes hear of them. */
const GATHER_MS = 5;

export function createArrivals(hints: Hints, { arrivalsChannel }: Names, clock: Clock): Arrivals {
  const listeners = new Set<() => void>();
  let isGathering = false;
  const wake = () => {
    for (const listener of listeners) listener();
  };
  hints.on(arrivalsChannel, wake);
  return {
    tell() {
      wake();
      if (isGathering) return;
      isGathering = true;
      clock.after(GATHER_MS, () => {
        isGathering = false;
        hints.publish(arrivalsChannel, '');
      });
    },
    listen(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}
