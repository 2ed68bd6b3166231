import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const MAIN = fileURLToPath(new URL('../packages/engine/dist/bench/floor/main.js', import.meta.url));
const FEW = ['--rounds', '1', '--echoes', '200', '--refusals', '200', '--wins', '100', '--settled', '500'];

/** That it measures at all: figures of so few requests on a busy machine say nothing. */
test('the bench measures refusals, wins and settlement beside the echo', { timeout: 180_000 }, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...FEW]);
  for (const name of ['echo', 'refusals', 'refused late', 'wins', 'settlement']) {
    expect(stdout).toMatch(new RegExp(`^${name} +[1-9][0-9]*/s`, 'm'));
  }
  expect(stdout).toMatch(/of the echo/);
});
