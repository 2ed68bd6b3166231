import { describe, expect, test } from 'vitest';
import { isBuyerId, isSaleId, MAX_BUYER_ID_LENGTH } from './ids.ts';

describe('a buyer id', () => {
  test.each([
    ['a single letter', 'a'],
    ['a number beyond 2^53', '9007199254740993'],
    ['a blank', ' '],
    ['a line break', 'a\nb'],
    ['letters of any script', '日本 ü'],
    ['a character outside the basic plane', '😀'],
    ['what looks like a member of every object', '__proto__'],
    ['the longest', 'x'.repeat(MAX_BUYER_ID_LENGTH)],
    ['half as many of two units each', '😀'.repeat(MAX_BUYER_ID_LENGTH / 2)],
  ])('may be %s', (_what, id) => {
    expect(isBuyerId(id)).toBe(true);
  });

  test.each([
    ['empty', ''],
    ['too long', 'x'.repeat(MAX_BUYER_ID_LENGTH + 1)],
    ['a NUL', 'a\0b'],
    ['a high surrogate alone', 'a\uD83D'],
    ['a high surrogate before another letter', '\uD83Da'],
    ['a low surrogate alone', '\uDE00'],
    ['a pair turned round', '\uDE00\uD83D'],
    ['a pair and a half', '😀\uDE00'],
  ])('is never %s', (_what, id) => {
    expect(isBuyerId(id)).toBe(false);
  });
});

describe('a sale id', () => {
  test.each(['a', '0', 'spring-2031', 'x'.repeat(64)])('may be %s', (id) => {
    expect(isSaleId(id)).toBe(true);
  });

  test.each(['', '-a', 'A', 'a b', 'a/b', '../a', 'a\n', 'ü', 'a_b', 'x'.repeat(65)])('is never %j', (id) => {
    expect(isSaleId(id)).toBe(false);
  });
});
