/** The memory store as the contracts see it: a clock that stands still until it is told to go on. */
import type { ClaimMarksSubject } from '../../ports/claim-marks.contract.ts';
import type { StoreSubject } from '../../ports/store-fixture.contract.ts';
import { createManualClock } from './manual-clock.ts';
import { createMemoryStore } from './store.ts';

/** Any time will do that the monotonic clock does not show. */
const STARTS_AT_MS = 1_700_000_000_000;

export const memoryStoreSubject: StoreSubject & ClaimMarksSubject = {
  name: 'memory',
  async open() {
    const clock = createManualClock(STARTS_AT_MS);
    let lastId = 0;
    const newId = (): string => {
      lastId += 1;
      return `server-${lastId}`;
    };
    const store = createMemoryStore({ clock, idSource: { newId } });
    return {
      gate: store.gate,
      queue: store.queue,
      marks: store.marks,
      nowMs: async () => clock.nowMs(),
      pass: async (ms) => clock.advance(ms),
      lose: async () => store.lose(),
      close: async () => {},
    };
  },
};
