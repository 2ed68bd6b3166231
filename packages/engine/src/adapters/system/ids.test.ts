import { describe, expect, it } from 'vitest';
import { createIdSource } from './ids.ts';
import { createSigner } from './signing.ts';

const ID = /^[A-Za-z0-9_][A-Za-z0-9_-]{21}$/;

describe('ids', () => {
  it('are 22 letters that no command line takes for an option, and never the same twice', () => {
    const source = createIdSource();
    const ids = Array.from({ length: 20_000 }, () => source.newId());
    for (const id of ids) expect(id).toMatch(ID);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('that are derived have the same form', () => {
    const signer = createSigner([{ id: 'k1', secret: new Uint8Array(32).fill(7) }]);
    for (let index = 0; index < 2_000; index++) {
      expect(signer.deriveId('bulk', ['server', 'skin', 'ann', String(index)])).toMatch(ID);
    }
  });
});
