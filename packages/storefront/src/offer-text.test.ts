import { describe, expect, it } from 'vitest';
import { offerText, windowText } from './offer-text.ts';
import { wordsIn } from './words.ts';

const items = [
  { itemId: 'sword', quantity: 1 },
  { itemId: 'potion', quantity: 5 },
];

describe('what a sale offers', () => {
  it.each([
    [{ kind: 'gift_pack', items, price: null } as const, 'sword, 5 × potion · Free'],
    [{ kind: 'exchange', items, price: { points: 60 } } as const, 'sword, 5 × potion · 60 points'],
    [{ kind: 'limited_skin', items, price: null } as const, 'sword, 5 × potion · For money'],
    [
      { kind: 'limited_skin', items, price: { amount: 4_900, currency: 'CNY' } } as const,
      'sword, 5 × potion · CN¥49.00',
    ],
    [{ kind: 'limited_skin', items, price: { amount: 4_900, currency: 'JPY' } } as const, 'sword, 5 × potion · ¥4,900'],
  ])('is told with its price: %j', (offer, text) => {
    expect(offerText(offer, 'en', wordsIn('en'))).toBe(text);
  });

  it('is told in Chinese, too', () => {
    const offer = { kind: 'limited_skin', items, price: { amount: 4_900, currency: 'CNY' } } as const;
    expect(offerText(offer, 'zh', wordsIn('zh'))).toBe('sword, 5 × potion · ¥49.00');
  });
});

describe('the window of a sale', () => {
  const window = {
    startsAtMs: Date.parse('2026-11-11T02:00:00Z'),
    endsAtMs: Date.parse('2026-11-11T04:00:00Z'),
    timeZone: 'Asia/Shanghai',
  };

  it("is told by the sale's clocks and by the device's (K36)", () => {
    const text = windowText(window, 'en', 'America/New_York');
    expect(text).toMatch(
      /Nov 11, 2026, 10:00\sAM .*\(Asia\/Shanghai\) · Nov 10, 2026, 9:00\sPM .*\(America\/New_York\)/,
    );
  });

  it('is told once where they are the same', () => {
    expect(windowText(window, 'en', 'Asia/Shanghai')).toMatch(/^Nov 11, 2026, 10:00\sAM [^·]*$/);
  });
});
