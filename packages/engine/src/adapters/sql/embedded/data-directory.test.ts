import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Fault } from '../../../domain/fault.ts';
import { importOf, startChild } from './child-fixture.contract.ts';
import { createSqliteLedger } from './create-sqlite-ledger.ts';
import { holdDataDirectory } from './data-directory.ts';

/** Holds the directory until it is killed, and prints what came of it. It keeps no handle: the lock must not need one. */
const HOLDER = `
  import { setFlagsFromString } from 'node:v8';
  import { runInNewContext } from 'node:vm';
  ${importOf('holdDataDirectory', './data-directory.ts')}
  if (process.env.TEST_UID) process.setuid(Number(process.env.TEST_UID));
  const said = await holdDataDirectory(process.env.TEST_DIRECTORY).then(() => 'held', (error) => error.code + ' ' + error.message);
  setFlagsFromString('--expose-gc');
  await new Promise((resolve) => setTimeout(resolve, 10));
  runInNewContext('gc')();
  console.log(said);
  setInterval(() => {}, 1000);
`;

describe('the data directory', () => {
  let parent: string;
  let directory: string;
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'sluice-data-'));
    directory = join(parent, 'deep', 'data');
  });
  afterEach(() => rmSync(parent, { recursive: true, force: true }));

  async function faultFrom(path: string): Promise<Fault> {
    try {
      (await holdDataDirectory(path)).release();
    } catch (error) {
      if (error instanceof Fault) return error;
      throw error;
    }
    throw new Error('it was held');
  }

  test('is created, for its user only', async () => {
    const held = await holdDataDirectory(directory);
    expect(held.path).toBe(directory);
    expect(held.ledgerFile.startsWith(directory)).toBe(true);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    held.release();
  });

  test('has files for its user only, also where others may look into it', async () => {
    mkdirSync(directory, { recursive: true, mode: 0o755 });
    const held = await holdDataDirectory(directory);
    const ledger = await createSqliteLedger({ file: held.ledgerFile });
    await ledger.sales.list();
    const files = readdirSync(directory);
    expect(files).toEqual(expect.arrayContaining(['holder.pid', 'ledger.db', 'ledger.db-wal', 'lock.db']));
    for (const file of files) expect([file, statSync(join(directory, file)).mode & 0o777]).toEqual([file, 0o600]);
    await ledger.close();
    held.release();
  }, 120_000);

  test.runIf(process.platform === 'linux')('says at once that it cannot be made', async () => {
    const fault = await faultFrom('/proc/sluice/data');
    expect(fault.message).toMatch(/cannot be used \(ENOENT.*\)\. Make it a directory that this user may write/);
  });

  test('is held once within a process, and free when it is released', async () => {
    const held = await holdDataDirectory(directory);
    const fault = await faultFrom(directory);
    expect(fault).toMatchObject({ code: 'data_dir_held', retryable: false });
    expect(fault.message).toContain(`${directory} is held by this process already`);
    held.release();
    (await holdDataDirectory(directory)).release();
  });

  test('is held once among processes; the sentence names the holder; kill -9 frees it', async () => {
    const child = startChild(HOLDER, { TEST_DIRECTORY: directory });
    expect(await child.lines.next()).toEqual({ done: false, value: 'held' });
    const fault = await faultFrom(directory);
    expect(fault.code).toBe('data_dir_held');
    expect(fault.message).toContain(`is held by process ${child.process.pid}. Stop that one first`);

    await child.kill();
    expect(existsSync(join(directory, 'holder.pid'))).toBe(true);
    (await holdDataDirectory(directory)).release();
  });

  test('says what to do when a file stands in its place', async () => {
    writeFileSync(join(parent, 'file'), '');
    const fault = await faultFrom(join(parent, 'file', 'data'));
    expect(fault.code).toBe('storage_unusable');
    expect(fault.message).toMatch(/cannot be used \(ENOTDIR.*\)\. Make it a directory that this user may write/);
  });

  test('says what to do when it may not be written', async () => {
    mkdirSync(directory, { recursive: true });
    chmodSync(directory, 0o500);
    // Root may write everywhere, so root asks somebody else.
    if (process.getuid?.() !== 0) {
      expect((await faultFrom(directory)).code).toBe('storage_unusable');
      return;
    }
    for (const each of [parent, join(parent, 'deep')]) chmodSync(each, 0o755);
    const child = startChild(HOLDER, { TEST_DIRECTORY: directory, TEST_UID: '65534' });
    const { value } = await child.lines.next();
    await child.kill();
    expect(value).toMatch(/^storage_unusable The data directory .* cannot be used/);
    expect(value).toContain(directory);
  });
});
