import { describe, expect, test } from 'vitest';
import { Fault } from '../domain/fault.ts';
import { cannotListen, ledgerDoesNotOpen, sentenceOf } from './cannot-start.ts';

function listening(code: string): string | null {
  return sentenceOf(cannotListen('10.0.0.1', 80, Object.assign(new Error('no'), { code })));
}

function opening(fault: Fault): string | null {
  return sentenceOf(ledgerDoesNotOpen('/data/ledger.sqlite', fault));
}

describe('why a deployment does not start', () => {
  test('is told with what, where, and what to do', () => {
    expect(listening('EADDRINUSE')).toMatch(/^Port 80 on 10\.0\.0\.1 is in use\. .*--port/);
    expect(listening('EACCES')).toMatch(/port 80\. Choose/);
    expect(listening('EADDRNOTAVAIL')).toMatch(/^10\.0\.0\.1 is no address of this machine\. .*--host/);
    expect(opening(new Fault('storage_full', 'SQLite: database or disk is full'))).toBe(
      'The ledger /data/ledger.sqlite cannot be opened. SQLite: database or disk is full. Make room on its disk.',
    );
    expect(sentenceOf(new Fault('data_dir_held', 'The data directory is held.'))).toBe('The data directory is held.');
  });

  test('is no sentence when it is a mistake of ours', () => {
    const mistake = new TypeError('x is not a function');
    expect(sentenceOf(mistake)).toBeNull();
    expect(ledgerDoesNotOpen('f', mistake)).toBe(mistake);
    expect(cannotListen('h', 1, mistake)).toBe(mistake);
  });
});
