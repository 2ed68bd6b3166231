import { ORDER_STATES, REASONS } from '@sluice/contract/codes';
import { describe, expect, it } from 'vitest';
import { durationText, languageOf, refusalText, wordsIn } from './words.ts';

describe('words', () => {
  it('are Chinese for those whose browser is', () => {
    expect(['zh', 'zh-CN', 'ZH-Hant-TW', 'en', 'en-GB', 'fr', ''].map(languageOf)).toEqual([
      ...['zh', 'zh', 'zh', 'en', 'en', 'en', 'en'],
    ]);
  });

  it('are there for every reason and state, and for a reason of a later version', () => {
    for (const language of ['en', 'zh'] as const) {
      for (const [reason, entry] of Object.entries(REASONS))
        expect(refusalText(reason, language)).toBe(entry[language]);
      for (const state of ORDER_STATES) expect(wordsIn(language).states[state]).not.toBe('');
      expect(refusalText('of_next_year', language)).toBe(REASONS.internal[language]);
    }
  });

  it('say over what a limit holds', () => {
    expect(wordsIn('en').limit(2, null)).toBe('At most 2 for each buyer');
    expect(wordsIn('en').limit(1, 'zodiac')).toBe('At most 1 for each buyer, over all sales of zodiac');
    expect(wordsIn('zh').limit(2, null)).toBe('每人限购 2 件');
    expect(wordsIn('zh').limit(1, 'zodiac')).toBe('每人限购 1 件（zodiac 各活动合计）');
  });

  it('count down to zero and not below, and reach zero only at the end', () => {
    expect([1, 1_000, 59_001, 3_600_000, 90_061_000, 0, -5].map(durationText)).toEqual([
      ...['00:00:01', '00:00:01', '00:01:00', '01:00:00', '1 d 01:01:01', '00:00:00', '00:00:00'],
    ]);
  });
});
