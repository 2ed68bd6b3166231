import { describe, expect, it } from 'vitest';
import { buttonView, type Situation } from './buy-button.ts';

const SELLING: Situation = {
  sale: { state: 'live', startsAtMs: 1_000, endsAtMs: 2_000 },
  ...{ nowMs: 1_500, isSignedIn: true, isInFlight: false, isSoldOut: false, notBeforeMs: 0 },
};

describe('the button', () => {
  it.each<[string, Partial<Situation>, string, boolean]>([
    ['in the window', {}, 'buy', true],
    ['at the first moment', { nowMs: 1_000 }, 'buy', true],
    ['a moment before', { nowMs: 999 }, 'notYet', false],
    ['at the end', { nowMs: 2_000 }, 'over', false],
    ['in flight', { isInFlight: true }, 'buying', false],
    ['sold out', { isSoldOut: true }, 'soldOut', false],
    ['asked to wait', { notBeforeMs: 1_501 }, 'buy', false],
    ['having waited', { notBeforeMs: 1_500 }, 'buy', true],
    ['nobody signed in', { isSignedIn: false }, 'signInFirst', false],
    ['closed', { sale: { ...SELLING.sale, state: 'closed' } }, 'closed', false],
  ])('%s', (_name, more, word, isEnabled) => {
    expect(buttonView({ ...SELLING, ...more })).toEqual({ word, isEnabled });
  });
});
