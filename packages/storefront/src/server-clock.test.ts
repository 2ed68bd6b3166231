import { describe, expect, it } from 'vitest';
import { createServerClock } from './server-clock.ts';

describe('the clock of the server', () => {
  it('is right whatever the clock of the device says, and by half a round trip at worst', () => {
    for (const deviceIsAheadMs of [-3_600_000, 0, 3_600_000]) {
      let nowMs = 500;
      const clock = createServerClock(
        () => nowMs,
        () => 1_000_000 + nowMs + deviceIsAheadMs,
      );
      expect(clock.nowMs()).toBe(1_000_500 + deviceIsAheadMs);
      // Asked at 500, answered by the server at 560, received at 600.
      nowMs = 600;
      clock.learn(1_000_560, 500, 600);
      expect(Math.abs(clock.nowMs() - 1_000_600)).toBeLessThanOrEqual(50);
    }
  });

  it('believes the quicker of two answers, and a slow one only when much time has gone by', () => {
    let nowMs = 0;
    const clock = createServerClock(
      () => nowMs,
      () => 0,
    );
    nowMs = 10;
    clock.learn(5_005, 0, 10);
    nowMs = 3_010;
    clock.learn(5_500, 1_010, 3_010);
    expect(clock.nowMs()).toBe(8_010);
    nowMs = 60_000_000;
    clock.learn(90_000_000, 59_999_000, 60_000_000);
    expect(clock.nowMs()).toBe(90_000_500);
  });

  it('does not move when the clock of the device is set', () => {
    let wallMs = 1_000;
    const clock = createServerClock(
      () => 100,
      () => wallMs,
    );
    clock.learn(5_000, 100, 100);
    wallMs += 86_400_000;
    expect(clock.nowMs()).toBe(5_000);
  });
});
