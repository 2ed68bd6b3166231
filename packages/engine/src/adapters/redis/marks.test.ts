import { describe, expect, test } from 'vitest';
import { MAIN_CHANNEL } from '../../domain/inventory/quota.ts';
import { readMarks, writeMark } from './marks.ts';

const segment = { saleId: 'sale', region: 'home', segment: 3 };
const origin = { region: 'home', segment: 3, channel: MAIN_CHANNEL, epoch: 1, seq: 123_456 };
const mark = { orderId: 'Zk3vQ9xT_bW4-x01', origin, units: 1, state: 'claimed' } as const;

describe('a mark', () => {
  test('of one unit by the main channel takes no more than 28 bytes, as the allocator counts', () => {
    expect(writeMark(mark)).toBe('qZk3vQ9xT_bW4-x01 1-123456;');
    expect(writeMark(mark).length).toBeLessThanOrEqual(28);
  });

  test('is read as it was written, also beside others', () => {
    const marks = [
      mark,
      { ...mark, state: 'settled' },
      { ...mark, orderId: 'q', units: 2 },
      { ...mark, orderId: 's 1 1-1', state: 'ended' },
      { ...mark, orderId: '17' },
      { ...mark, origin: { ...origin, channel: 'the app' } },
      { ...mark, origin: { ...origin, channel: '100%' }, units: 12 },
      { ...mark, origin: { ...origin, channel: '' } },
    ] as const;
    for (const each of marks) expect(readMarks(writeMark(each), segment)).toEqual([each]);
    expect(readMarks(marks.map(writeMark).join(''), segment)).toEqual(marks);
  });

  test('that says what goes without saying is read as well', () => {
    expect(readMarks('q Zk3vQ9xT_bW4-x01 1 1-123456 main;', segment)).toEqual([mark]);
  });
});
