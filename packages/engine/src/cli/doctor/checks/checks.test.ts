import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { prepareKeys } from '../../../compose/deployment-keys.ts';
import { loadConfig } from '../../../config/load.ts';
import { findDeployment } from '../../deployment.ts';
import type { Scene } from '../scene.ts';
import { checkDataDirectory } from './data-directory.ts';
import { checkDeployment } from './deployment.ts';
import { checkKeys } from './keys.ts';
import { checkLedger } from './ledger.ts';
import { checkLock } from './lock.ts';
import { checkNodeVersion } from './node-version.ts';
import { checkPorts } from './ports.ts';

let dataDir: string;
let listening: Server[];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'sluice-doctor-'));
  listening = [];
});
afterEach(() => {
  rmSync(dataDir, { recursive: true });
  for (const server of listening) server.close();
});

function scene(changes: Partial<Scene> = {}, flags: Readonly<Record<string, string>> = {}): Scene {
  const loaded = loadConfig({ env: {}, file: null, flags: { port: '0', dataDir, ...flags } });
  if (loaded.kind === 'mistaken') throw new Error('the defaults are settings');
  return {
    ...{ settings: loaded.settings, dataDir, endpoint: null, isRunning: false, store: { kind: 'none' } },
    ...{ deployment: findDeployment({ dataDir }), isElsewhere: false },
    ...changes,
  };
}

function listen(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi'));
    listening.push(server);
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

const GONE = { url: 'http://127.0.0.1:1', adminUrl: 'http://127.0.0.1:1', pid: 2 ** 22 + 1 };

async function one(findings: ReturnType<typeof checkLock>): Promise<string> {
  return (await findings).map(({ check, level, says }) => `${level} ${check}: ${says}`).join('\n');
}

describe('doctor', () => {
  test('has nothing against a new directory', async () => {
    for (const check of [
      checkNodeVersion,
      checkDataDirectory,
      checkLock,
      checkKeys,
      checkLedger,
      checkPorts,
      checkDeployment,
    ])
      expect(await one(check(scene()))).not.toMatch(/^(warn|fail) (?!disk)/m);
  });

  test('says when there is no directory, when it is a file, and when others may read what is in it', async () => {
    expect(await one(checkDataDirectory(scene({ dataDir: join(dataDir, 'a', 'b') })))).toMatch(/^warn .*not there yet/);
    writeFileSync(join(dataDir, 'ledger.db'), '', { mode: 0o644 });
    expect(await one(checkDataDirectory(scene()))).toMatch(/^ok/);
    chmodSync(dataDir, 0o755);
    chmodSync(join(dataDir, 'ledger.db'), 0o644);
    expect(await one(checkDataDirectory(scene()))).toMatch(/^warn .*chmod -R go=/);
    expect(await one(checkDataDirectory(scene({ dataDir: join(dataDir, 'ledger.db') })))).toMatch(
      /^fail .*no directory/,
    );
  });

  test('says who holds the directory, and who went without a word', async () => {
    expect(await one(checkLock(scene({ store: { kind: 'held', by: process.pid } })))).toMatch(/^ok .*holds/);
    expect(await one(checkLock(scene({ store: { kind: 'held', by: GONE.pid } })))).toMatch(/^fail .*is gone/);
    expect(await one(checkLock(scene({ store: { kind: 'held', by: null } })))).toMatch(/^warn .*may be starting/);
  });

  test('says when keys are open to others, or too short, and never shows one', async () => {
    prepareKeys(dataDir, {}).keep();
    expect(await one(checkKeys(scene()))).toMatch(/^ok/);
    chmodSync(join(dataDir, 'keys.json'), 0o644);
    expect(await one(checkKeys(scene()))).toMatch(/^fail .*chmod 600/);
    writeFileSync(join(dataDir, 'keys.json'), '{"adminKey":"short-secret"}');
    chmodSync(join(dataDir, 'keys.json'), 0o600);
    const short = await one(checkKeys(scene()));
    expect(short).toMatch(/^fail .*adminKey of 12 characters/);
    expect(short).not.toContain('short-secret');
  });

  test('tells a port that the deployment has from one that somebody else has', async () => {
    const port = await listen();
    const flags = { port: String(port) };
    expect(await one(checkPorts(scene({}, flags)))).toMatch(/^fail .*taken by another program/);
    const url = `http://127.0.0.1:${port}`;
    const endpoint = { url, adminUrl: url, pid: process.pid };
    expect(await one(checkPorts(scene({ endpoint, isRunning: true }, flags)))).toMatch(/^ok .*this deployment/);
    expect(await one(checkPorts(scene({}, { host: '203.0.113.1' })))).toMatch(/^ok .*free one/);
    expect(await one(checkPorts(scene({}, { host: '203.0.113.1', port: '8460' })))).toMatch(/^fail .*address of this/);
  });

  test('says when nothing answers, or another program', async () => {
    const at = (url: string) => scene({ isElsewhere: true, deployment: findDeployment({ dataDir, url }) });
    expect(await one(checkDeployment(at(GONE.url)))).toMatch(/^fail .*Nothing answers/);
    expect(await one(checkDeployment(at(`http://127.0.0.1:${await listen()}`)))).toMatch(/^fail .*no Sluice/);
  });

  test.each([
    ['{"status":"ready","ledger":"settles"}', /^ok breaker/m],
    ['{"status":"ready","ledger":"stalled"}', /^fail breaker: .*takes nothing.*Look at its disk/m],
    ['{"status":"ready"}', /^(?!.* breaker)/s],
  ])('says what a deployment says of its ledger, without its key: %s', async (body, says) => {
    const server = createServer((socket) =>
      socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`)),
    );
    listening.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const deployment = findDeployment({ dataDir, url });
    expect(await one(checkDeployment(scene({ isElsewhere: true, deployment })))).toMatch(says);
  });

  test('says when anybody on the network may be any buyer', async () => {
    const server = createServer((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}')),
    );
    listening.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const identity = async (flags: Readonly<Record<string, string>>) => {
      const deployment = findDeployment({ dataDir, url });
      return one(checkDeployment(scene({ isRunning: true, deployment }, flags)));
    };
    expect(await identity({})).toMatch(/^ok test identity: .*only this machine/m);
    expect(await identity({ trustedProxies: '127.0.0.1' })).toMatch(/^warn test identity: .*Set jwtKey/m);
    expect(await identity({ host: '0.0.0.0' })).toMatch(/^fail test identity: Anybody/m);
  });

  test('tells a ledger that cannot be opened', async () => {
    expect(await one(checkLedger(scene({ store: { kind: 'broken', sentence: 'It is broken.' } })))).toBe(
      'fail ledger: It is broken.',
    );
  });
});
