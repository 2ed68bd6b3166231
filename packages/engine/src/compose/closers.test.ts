import { expect, test } from 'vitest';
import { createClosers } from './closers.ts';

test('closes in the opposite order, everything, once, and tells the first failure', async () => {
  const closed: string[] = [];
  const closers = createClosers();
  closers.add(() => void closed.push('ledger'));
  closers.add(async () => {
    closed.push('engine');
    throw new Error('engine');
  });
  closers.add(() => {
    closed.push('http');
    throw new Error('http');
  });
  await expect(closers.closeAll()).rejects.toThrow('http');
  expect(closed).toEqual(['http', 'engine', 'ledger']);
  await closers.closeAll();
  expect(closed).toHaveLength(3);
});
