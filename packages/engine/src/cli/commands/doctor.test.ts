import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CommandFailed, EXIT } from '../command-failed.ts';
import { createProgram } from '../program.ts';

let dataDir: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'sluice-doctor-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

const doctor = (...options: readonly string[]) =>
  createProgram('0').parseAsync(['doctor', ...options], { from: 'user' });

test.each<[readonly string[]]>([[[]], [['--json']], [['--url', 'http://127.0.0.1:1']]])(
  'doctor does not take a directory that is not there for one that was never used: %j',
  async (more) => {
    const gone = join(dataDir, 'gone');
    const error = await doctor('--data-dir', gone, ...more).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(CommandFailed);
    expect(error).toMatchObject({ status: EXIT.usage, message: expect.stringContaining(`There is no ${gone}`) });
  },
);
