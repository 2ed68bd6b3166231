import { describe, expect, test } from 'vitest';
import { plainOffer } from './offer.ts';
import { isSameTerms, SALE_EDGES, SALE_STATES, type Sale, type SaleState, saleCanBecome, termsOf } from './sale.ts';

describe('the table of sale states', () => {
  test('is exactly this', () => {
    const edges = SALE_STATES.flatMap((from) =>
      SALE_STATES.filter((to) => saleCanBecome(from, to)).map((to) => `${from} ${to}`),
    );
    expect(edges).toEqual([
      'draft live',
      'draft closed',
      'live paused',
      'live closed',
      'paused live',
      'paused closed',
      'closed settled',
    ]);
  });

  test('P17: opens nothing again that was closed', () => {
    const after = new Set<SaleState>(['closed']);
    for (const state of after) for (const next of SALE_EDGES[state]) after.add(next);
    expect([...after]).toEqual(['closed', 'settled']);
  });
});

describe('terms', () => {
  const sale: Sale = {
    id: 'sale',
    title: 'A sale',
    offer: plainOffer('skin'),
    timeZone: 'UTC',
    totalUnits: 10,
    limitUnits: 2,
    startsAtMs: 1,
    endsAtMs: 2,
    holdMs: 3,
    segments: 1,
    state: 'live',
    version: 4,
  };

  test('are what a gate must know of a sale, and no more', () => {
    expect(termsOf(sale)).toEqual({ version: sale.version, state: 'live', startsAtMs: 1, endsAtMs: 2, limitUnits: 2 });
  });

  test('differ when any of them does', () => {
    const terms = termsOf(sale);
    expect(isSameTerms(terms, { ...terms })).toBe(true);
    for (const change of [
      { version: 9 },
      { state: 'paused' as const },
      { startsAtMs: 0 },
      { endsAtMs: 3 },
      { limitUnits: 3 },
    ]) {
      expect(isSameTerms(terms, { ...terms, ...change })).toBe(false);
    }
  });
});
