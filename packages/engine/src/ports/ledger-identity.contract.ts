/** What every ledger promises of who it is. */
import { expect, test } from 'vitest';
import type { Ledger } from './ledger.ts';

export function ledgerIdentityContract(ledger: () => Ledger): void {
  test('a ledger has an id, the same each time', async () => {
    const id = await ledger().identity.read();
    expect(id).toMatch(/^[a-z0-9]+$/);
    expect(await ledger().identity.read()).toBe(id);
  });
}
