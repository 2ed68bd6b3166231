import { describe, expect, it } from 'vitest';
import { holderOfSegment } from './holder-of-segment.ts';

const SEGMENTS = Array.from({ length: 2_000 }, (_, segment) => ({ saleId: 'sale', region: 'home', segment }));
const WORKERS = ['ada', 'ben', 'cyd'];

describe('the holder of a segment', () => {
  it('is nobody where nobody is present', () => {
    expect(holderOfSegment({ saleId: 'sale', region: 'home', segment: 0 }, [])).toBeNull();
  });

  it('is the same whoever asks, and in whatever order they know the workers', () => {
    for (const segment of SEGMENTS) {
      expect(holderOfSegment(segment, WORKERS)).toBe(holderOfSegment(segment, [...WORKERS].reverse()));
    }
  });

  it('has about as many as the others', () => {
    const counts = WORKERS.map((worker) => SEGMENTS.filter((each) => holderOfSegment(each, WORKERS) === worker).length);
    for (const count of counts) expect(Math.abs(count - SEGMENTS.length / 3)).toBeLessThan(130);
  });

  it('changes only where one who held it is gone', () => {
    for (const segment of SEGMENTS) {
      const before = holderOfSegment(segment, WORKERS);
      const after = holderOfSegment(segment, ['ada', 'cyd']);
      if (before !== 'ben') expect(after).toBe(before);
      else expect(after).not.toBe('ben');
    }
  });
});
