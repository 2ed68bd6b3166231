/** Who works, in memory. */
import type { Clock } from '../../ports/clock.ts';
import { PRESENT_MS, type Roster } from '../../ports/roster.ts';

export function createMemoryRoster(clock: Clock): Roster {
  const until = new Map<string, number>();
  return {
    async present(worker) {
      const nowMs = clock.monotonicMs();
      until.set(worker, nowMs + PRESENT_MS);
      for (const [name, endsMs] of until) if (endsMs <= nowMs) until.delete(name);
      return [...until.keys()].sort();
    },
    async leave(worker) {
      until.delete(worker);
    },
  };
}
