import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { writeKeys } from '../compose/deployment-files.ts';
import { EXIT } from './command-failed.ts';
import { findDeployment } from './deployment.ts';

const KEY = 'given-'.padEnd(43, 'x');
const STORED = 'stored-'.padEnd(43, 'x');
let dataDir: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'sluice-keys-'));
  writeKeys(dataDir, { adminKey: STORED, jwtKey: STORED, serverKey: STORED });
});
afterEach(() => rmSync(dataDir, { recursive: true }));

describe('the key that a command carries', () => {
  test('is read from a file, so that no process list shows it', () => {
    const file = join(dataDir, 'admin.key');
    writeFileSync(file, `${KEY}\n`);
    const found = findDeployment({ dataDir, adminKeyFile: file, serverKeyFile: file });
    expect([found.adminKey(), found.serverKey(), found.jwtKey()]).toEqual([KEY, KEY, STORED]);
  });

  test('is a usage error when its file is not there, is empty, holds too short a key, or is one of two', () => {
    const file = join(dataDir, 'admin.key');
    const usage = (message: RegExp) =>
      expect.objectContaining({ status: EXIT.usage, message: expect.stringMatching(message) });
    expect(() => findDeployment({ dataDir, adminKeyFile: file })).toThrow(usage(/cannot be read \(ENOENT\)/));
    writeFileSync(file, '\n');
    expect(() => findDeployment({ dataDir, adminKeyFile: file })).toThrow(usage(/is empty/));
    writeFileSync(file, 'short-secret');
    expect(() => findDeployment({ dataDir, adminKeyFile: file })).toThrow(usage(/--admin-key: wanted at least 32/));
    expect(() => findDeployment({ dataDir, adminKeyFile: file })).not.toThrow(/short-secret/);
    expect(() => findDeployment({ dataDir, adminKeyFile: file, adminKey: KEY })).toThrow(usage(/one of them/));
  });
});
