import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { Fault } from '../domain/fault.ts';
import { areKeysOpen, isPrivate, readEndpoint, readKeys, removeEndpoint, writeEndpoint } from './deployment-files.ts';
import { type DeploymentKeys, prepareKeys } from './deployment-keys.ts';

const SECRET = 'configured-'.padEnd(43, 'x');
let dataDir: string;

function openKeys(...args: Parameters<typeof prepareKeys>): DeploymentKeys {
  const { keys, keep } = prepareKeys(...args);
  keep();
  return keys;
}

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'sluice-files-'));
});

describe('a data directory', () => {
  test('says where the deployment is, as long as it runs', () => {
    expect(readEndpoint(dataDir)).toBeNull();
    const endpoint = { url: 'http://127.0.0.1:1', adminUrl: 'http://127.0.0.1:2', pid: 3 };
    writeEndpoint(dataDir, endpoint);
    expect(readEndpoint(dataDir)).toEqual(endpoint);
    removeEndpoint(dataDir);
    removeEndpoint(dataDir);
    expect(readEndpoint(dataDir)).toBeNull();
  });

  test('is private when nobody else can read what is in it', () => {
    openKeys(dataDir, {});
    chmodSync(dataDir, 0o755);
    expect(isPrivate(dataDir)).toBe(true);
    writeFileSync(join(dataDir, 'ledger.db'), '');
    chmodSync(join(dataDir, 'ledger.db'), 0o644);
    expect(isPrivate(dataDir)).toBe(false);
    chmodSync(dataDir, 0o700);
    expect(isPrivate(dataDir)).toBe(true);
  });

  test('that cannot be written is a fault with a sentence', () => {
    const gone = join(dataDir, 'gone');
    expect(() => openKeys(gone, {})).toThrow(Fault);
    expect(() => openKeys(gone, {})).toThrow(/cannot be written \(ENOENT\)/);
  });
});

describe('a data directory of somebody else', () => {
  // Root may read everything, so something that nobody can read stands in for what this user may not.
  test.each(['endpoint.json', 'keys.json'])('is a fault with a sentence: %s', (file) => {
    mkdirSync(join(dataDir, file));
    const read = () => (file === 'keys.json' ? readKeys(dataDir) : readEndpoint(dataDir));
    expect(read).toThrow(Fault);
    expect(read).toThrow(`The data directory ${dataDir} cannot be read (EISDIR). Give this user the right to`);
  });
});

describe('the keys of a deployment', () => {
  test('are generated once, and kept where only their owner reads them', () => {
    const first = openKeys(dataDir, {});
    expect(openKeys(dataDir, {})).toEqual(first);
    expect(first.isJwtKeyGenerated).toBe(true);
    expect(first.tokenKeys[0].secret).toHaveLength(32);
    expect(new Set([first.jwtKey, first.adminKey, first.serverKey]).size).toBe(3);
    expect(statSync(join(dataDir, 'keys.json')).mode & 0o777).toBe(0o600);
    expect(readdirSync(dataDir)).toEqual(['keys.json']);
  });

  test('are told to be new when nothing can have been signed with them', () => {
    const isNew = (settings: Parameters<typeof prepareKeys>[1]) => prepareKeys(dataDir, settings).hasNewTokenKeys;
    const tokenKeys = [`k:${SECRET}`];
    expect([isNew({}), isNew({ tokenKeys })]).toEqual([true, false]);
    openKeys(dataDir, { tokenKeys });
    expect(isNew({})).toBe(true);
    openKeys(dataDir, {});
    expect([isNew({}), isNew({ tokenKeys })]).toEqual([false, false]);
  });

  test('give way to configured ones, which are not written down', () => {
    const generated = openKeys(dataDir, {});
    const tokenKeys = [`new:${SECRET}`, `old:${SECRET}`];
    const keys = openKeys(dataDir, { jwtKey: SECRET, tokenKeys });
    expect(keys).toMatchObject({ jwtKey: SECRET, isJwtKeyGenerated: false, adminKey: generated.adminKey });
    expect(keys.tokenKeys.map(({ id }) => id)).toEqual(['new', 'old']);
    expect(readFileSync(join(dataDir, 'keys.json'), 'utf8')).not.toContain(SECRET);
    expect(openKeys(dataDir, {})).toEqual(generated);
  });

  test('that somebody broke are told as that, and never quoted', () => {
    const broken = [
      '{"jwtKey": "secret',
      '[]',
      '{"jwtKey": ""}',
      '{"tokenKeys": ["secret"]}',
      '{"tokenKeys": "secret"}',
      '{"adminKey": 1}',
      '{"serverKey": 1}',
    ];
    for (const text of broken) {
      writeFileSync(join(dataDir, 'keys.json'), text);
      expect(() => openKeys(dataDir, {}), text).toThrow(/keys\.json/);
      expect(() => openKeys(dataDir, {}), text).not.toThrow(/secret/);
    }
  });

  test('are as long in the file as they must be in the configuration', () => {
    for (const name of ['jwtKey', 'adminKey', 'serverKey']) {
      writeFileSync(join(dataDir, 'keys.json'), JSON.stringify({ [name]: 'secret'.padEnd(31, 'x') }));
      expect(() => openKeys(dataDir, {}), name).toThrow(
        `keys.json in the data directory has a ${name} of 31 characters`,
      );
      expect(() => openKeys(dataDir, {}), name).not.toThrow(/secretx/);
      writeFileSync(join(dataDir, 'keys.json'), JSON.stringify({ [name]: SECRET.slice(0, 32) }));
      expect(openKeys(dataDir, {})).toMatchObject({ [name]: SECRET.slice(0, 32) });
    }
  });

  test('are noticed when others may read them', () => {
    expect(areKeysOpen(dataDir)).toBe(false);
    openKeys(dataDir, {});
    expect(areKeysOpen(dataDir)).toBe(false);
    chmodSync(join(dataDir, 'keys.json'), 0o640);
    expect(areKeysOpen(dataDir)).toBe(true);
  });
});
