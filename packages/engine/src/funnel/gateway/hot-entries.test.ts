import { describe, expect, it } from 'vitest';
import { createManualClock } from '../../adapters/memory/manual-clock.ts';
import { createHotEntries } from './hot-entries.ts';

const OPTIONS = { freshMs: 100, staleMs: 1_000, maxKeys: 3 };

function newEntries() {
  const clock = createManualClock(0);
  const loads: string[] = [];
  let answer: (key: string) => Promise<string | null> = async (key) => `${key}-${loads.length}`;
  const entries = createHotEntries<string>(
    clock,
    (key) => {
      loads.push(key);
      return answer(key);
    },
    OPTIONS,
  );
  return {
    clock,
    loads,
    entries,
    answerWith: (next: typeof answer) => {
      answer = next;
    },
  };
}

describe('hot entries', () => {
  it('load once for all who ask at the same time', async () => {
    const { entries, loads } = newEntries();
    const values = await Promise.all(Array.from({ length: 1_000 }, () => entries.get('a')));
    expect(new Set(values)).toEqual(new Set(['a-1']));
    expect(loads).toEqual(['a']);
  });

  it('serve the old value while one refresh is on its way', async () => {
    const { entries, loads, clock } = newEntries();
    await entries.get('a');
    clock.advance(150);
    const values = await Promise.all(Array.from({ length: 1_000 }, () => entries.get('a')));
    expect(new Set(values)).toEqual(new Set(['a-1']));
    expect(loads).toEqual(['a', 'a']);
    expect(await entries.get('a')).toBe('a-2');
  });

  it('serve the old value while the loader fails, but not for ever', async () => {
    const { entries, clock, answerWith } = newEntries();
    await entries.get('a');
    answerWith(() => Promise.reject(new Error('down')));
    clock.advance(500);
    expect(await entries.get('a')).toBe('a-1');
    clock.advance(600);
    await expect(entries.get('a')).rejects.toThrow('down');
  });

  it('remember what is unknown', async () => {
    const { entries, loads, answerWith } = newEntries();
    answerWith(async () => null);
    expect(await entries.get('x')).toBeNull();
    expect(await entries.get('x')).toBeNull();
    expect(loads).toEqual(['x']);
  });

  it('load anew after a drop', async () => {
    const { entries } = newEntries();
    await entries.get('a');
    entries.drop('a');
    expect(await entries.get('a')).toBe('a-2');
  });

  it('keep a bounded number of keys', async () => {
    const { entries, loads } = newEntries();
    for (const key of ['a', 'b', 'c', 'd']) await entries.get(key);
    await entries.get('d');
    expect(loads).toHaveLength(4);
    await entries.get('a');
    expect(loads).toHaveLength(5);
  });
});
