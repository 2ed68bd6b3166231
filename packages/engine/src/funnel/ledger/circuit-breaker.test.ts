import { describe, expect, it } from 'vitest';
import { createManualClock } from '../../adapters/memory/manual-clock.ts';
import { createCircuitBreaker } from './circuit-breaker.ts';

const newBreaker = () => {
  const clock = createManualClock(0);
  return { clock, breaker: createCircuitBreaker(clock, { failures: 3, restMs: 1_000 }) };
};

describe('a circuit breaker', () => {
  it('opens after failures in a row, not after as many with a success between', () => {
    const { breaker } = newBreaker();
    for (const outcome of ['failed', 'failed', 'succeeded', 'failed', 'failed'] as const) breaker[outcome]();
    expect([breaker.state, breaker.ask()]).toEqual(['closed', 0]);
    breaker.failed();
    expect([breaker.state, breaker.ask()]).toEqual(['open', 1_000]);
  });

  it('stays open while work goes on failing, and closes at the first success', () => {
    const { breaker, clock } = newBreaker();
    for (let failure = 0; failure < 20; failure++) {
      breaker.failed();
      clock.advance(900);
      if (failure >= 2) expect(breaker.ask()).toBe(100);
    }
    breaker.succeeded();
    expect([breaker.state, breaker.ask(), breaker.ask()]).toEqual(['closed', 0, 0]);
    breaker.failed();
    expect(breaker.state).toBe('closed');
  });

  it('lets one through per rest when nobody tries, also when that one is never heard of again', () => {
    const { breaker, clock } = newBreaker();
    breaker.trip();
    for (let rest = 0; rest < 5; rest++) {
      expect(breaker.state).toBe('open');
      clock.advance(1_000);
      expect(breaker.state).toBe('half_open');
      expect([breaker.ask(), breaker.ask(), breaker.ask()]).toEqual([0, 1_000, 1_000]);
    }
  });
});
