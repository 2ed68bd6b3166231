import { describe, expect, it } from 'vitest';
import { createManualClock } from '../../adapters/memory/manual-clock.ts';
import type { QueueDepth } from '../../ports/queue.ts';
import { createIntake, type IntakeBounds, NO_BOUNDS } from './intake.ts';

function newIntake(bounds: Partial<IntakeBounds>) {
  const clock = createManualClock(0);
  const state = { lagMs: 0, waitMs: 0, looks: 0, depth: { entries: 0, oldestAgeMs: null } as QueueDepth };
  const intake = createIntake({
    ...{ clock, bounds: { ...NO_BOUNDS, ...bounds }, loopLagMs: () => state.lagMs, askLedger: () => state.waitMs },
    depth: async () => {
      state.looks++;
      return state.depth;
    },
  });
  return { clock, intake, state };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('the intake', () => {
  it('takes everything without bounds, and does not look at the queue', () => {
    const { intake, state } = newIntake({});
    Object.assign(state, { lagMs: 1e6, depth: { entries: 1e9, oldestAgeMs: 1e9 } });
    expect([intake.shed(), intake.hold(), state.looks]).toEqual([null, null, 0]);
  });

  it('sheds while as many purchases as it may are in hand', async () => {
    const { intake } = newIntake({ maxInFlight: 2 });
    let done = () => {};
    const hand = new Promise<void>((resolve) => {
      done = resolve;
    });
    const first = intake.run(() => hand);
    expect(intake.shed()).toBeNull();
    const second = intake.run(() => hand);
    expect(intake.shed()).toMatchObject({ reason: 'busy', retryAfterMs: 1_000 });
    done();
    await Promise.all([first, second]);
    expect([intake.shed(), intake.inFlight()]).toEqual([null, 0]);
  });

  it('sheds while the event loop is late (H6)', () => {
    const { intake, state } = newIntake({ maxLoopLagMs: 250 });
    state.lagMs = 251;
    expect(intake.shed()?.reason).toBe('busy');
    state.lagMs = 250;
    expect(intake.shed()).toBeNull();
  });

  it.each([
    [{ maxQueueEntries: 10 }, { entries: 11, oldestAgeMs: 5 }],
    [{ maxQueueAgeMs: 100 }, { entries: 1, oldestAgeMs: 101 }],
  ])('holds claims back while the queue is past %j, with one look for all', async (bounds, depth) => {
    const { intake, state, clock } = newIntake(bounds);
    state.depth = depth;
    intake.hold();
    await turn();
    for (let claim = 0; claim < 100; claim++) expect(intake.hold()?.reason).toBe('busy');
    expect(state.looks).toBe(1);
    state.depth = { entries: 1, oldestAgeMs: 5 };
    clock.advance(250);
    intake.hold();
    await turn();
    expect([intake.hold(), state.looks]).toEqual([null, 2]);
  });

  it('holds claims back for as long as the ledger asks for', () => {
    const { intake, state } = newIntake({});
    state.waitMs = 2_500.5;
    expect(intake.hold()).toMatchObject({ reason: 'busy', retryAfterMs: 2_501 });
  });
});
