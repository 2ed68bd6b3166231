import { describe, expect, it } from 'vitest';
import { createIdSource } from './ids.ts';
import { createSigner } from './signing.ts';

const ID = /^[A-Za-z0-9_][A-Za-z0-9_-]{15}$/;
const DERIVED_ID = /^[A-Za-z0-9_][A-Za-z0-9_-]{21}$/;
const NOW_MS = Date.UTC(2026, 10, 30, 12);
const DAY_MS = 86_400_000;

describe('ids', () => {
  it('are 16 letters that no command line takes for an option, and never the same twice', () => {
    const source = createIdSource();
    const ids = Array.from({ length: 20_000 }, () => source.newId());
    for (const id of ids) expect(id).toMatch(ID);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('stand in the order of the seconds in which they were made, byte by byte', () => {
    const times = Array.from({ length: 400 }, (_, day) => NOW_MS + day * DAY_MS + day * 1_000);
    const ids = times.map((nowMs) => createIdSource(() => nowMs).newId());
    expect([...ids].sort()).toEqual(ids);
  });

  it('of one second differ by chance alone', () => {
    const source = createIdSource(() => NOW_MS);
    const ids = Array.from({ length: 1_000 }, () => source.newId());
    expect(new Set(ids.map((id) => id.slice(0, 5))).size).toBe(1);
    expect(new Set(ids.map((id) => id.slice(5))).size).toBe(ids.length);
  });

  it('keep their form when the clock is before they began, or after their letters have run out', () => {
    for (const nowMs of [0, Date.UTC(2100, 0)]) expect(createIdSource(() => nowMs).newId()).toMatch(ID);
  });

  it('that are derived are 22 letters, as they always were', () => {
    const signer = createSigner([{ id: 'k1', secret: new Uint8Array(32).fill(7) }]);
    for (let index = 0; index < 2_000; index++) {
      expect(signer.deriveId('bulk', ['server', 'skin', 'ann', String(index)])).toMatch(DERIVED_ID);
    }
  });
});
