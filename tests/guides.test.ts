/** The guides can be pasted: every shell block of every guide runs, in order, in a shell whose directory has a deployment. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startRedis } from '../packages/engine/src/adapters/redis/redis-server.contract.ts';
import { createTestDatabase } from '../packages/engine/src/adapters/sql/dialects/postgres/test-database.contract.ts';
import { describeWithServer, startTestServer } from '../packages/engine/src/adapters/sql/test-server.contract.ts';
import { newDataDir, type RunningSluice, startSluice } from './sluice-process.ts';

// Each command is a process; a busy machine takes its time.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const SLUICE = join(ROOT, 'packages', 'engine', 'bin', 'sluice.mjs');
/** As the guides say it; the deployment of the test has a port of its own. */
const URL_IN_GUIDES = 'http://127.0.0.1:8460';

const RECEIVER_PORT_IN_GUIDE = '8480';
const WEBHOOKS = [
  ...['game-mail took it', /mail sent to ann/, /"items":\[\{"itemId":"sword"/, /0 waiting, 0 dead/],
  ...['nothing that was given up', '0 deliveries are sent again', 'has a new secret', 'is told nothing more'],
];

const PORTS_IN_GUIDE = ['7650', '7651', '7652', '7653'];
const SEVERAL_PROCESSES = [
  ...[/set SLUICE_.*SLUICE_TOKEN_KEYS/, 'exit status 1', '"status":"ready"', /sluice_settlements_total\{/],
  ...['The books are right', /^balanced/m, 'both ended well'],
];

type Environment = Readonly<Record<string, string>>;

const redis = await startRedis();
const postgres = await startTestServer('postgres');

let sluice: RunningSluice;
/** Where a reader would stand: the data directory is in it under the name that is the default. */
let directory: string;

beforeAll(async () => {
  directory = dirname(newDataDir());
  // Receivers of the guides are on this machine.
  const env = { SLUICE_WEBHOOK_NETWORKS: 'any' };
  sluice = await startSluice({ dataDir: join(directory, '.sluice'), env });
  symlinkSync(join(ROOT, 'examples'), join(directory, 'examples'));
  const npx = join(directory, 'npx');
  // The word that follows is `sluice`; npx itself would look for it in this directory.
  writeFileSync(npx, `#!/bin/sh\nshift\nexec '${process.execPath}' '${SLUICE}' "$@"\n`);
  chmodSync(npx, 0o755);
});

const GUIDES: readonly (readonly [name: string, says: readonly (string | RegExp)[]])[] = [
  ['first-sale', [/available +500/, 'The books are right', 'pay-1 is noted', 'is cancelled', /^balanced/m]],
  [
    'integrate-a-game-back-end',
    [
      ...['"status":"pending"', '"payment":"applied"', /^true$/m, 'event: ', '"status":"paid"'],
      ...['"outcome":"accepted"', '"reason":"over_limit"'],
    ],
  ],
  [
    'configuration',
    [
      ...['wanted at most 65535, got 70000', 'SLUICE_PORT, perhaps', 'exit status 2', /logLevel +warn +file/],
      ...[/maxInFlight +5000 +environment/, /^ {2}default +10\/40$/m],
    ],
  ],
  [
    'operate-a-sale-night',
    [
      ...['night-skin is draft', 'night-skin is paused', 'night-skin is closed', '20 units added', 'breaker="ledger"'],
      ...[/^balanced/m, /orderId/],
    ],
  ],
];

test.each(GUIDES)('%s', async (name, says) => {
  await expectToRun(scriptOf(name), says);
});

test('webhooks', async () => {
  const [port] = await freePorts(1);
  const script = scriptOf('webhooks').replaceAll(RECEIVER_PORT_IN_GUIDE, String(port));
  await expectToRun(["trap 'kill -9 $(jobs -p) 2>/dev/null || true' EXIT", script].join('\n'), WEBHOOKS);
});

describeWithServer('several-processes', 'missing' in redis ? missingOf(redis) : postgres, (database) => {
  afterAll(() => ('missing' in redis ? undefined : redis.server.stop()));

  test('starts two of each, outlives one of each, and ends well', async () => {
    if ('missing' in redis) throw new Error(redis.missing);
    const ledger = await createTestDatabase(database.url);
    const env = { SLUICE_REDIS_URL: redis.server.url, SLUICE_DATABASE_URL: ledger.url };
    const ports = await freePorts(PORTS_IN_GUIDE.length);
    const script = PORTS_IN_GUIDE.reduce(
      (text, port, at) => text.replaceAll(port, String(ports[at])),
      // Whatever fails, nobody is left running.
      ["trap 'kill -9 $(jobs -p) 2>/dev/null || true' EXIT", scriptOf('several-processes')].join('\n'),
    );
    await expectToRun(script, SEVERAL_PROCESSES, env);
    await ledger.drop();
  });
});

async function expectToRun(script: string, says: readonly (string | RegExp)[], more: Environment = {}): Promise<void> {
  const { code, output } = await run(script, more);
  expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
  for (const each of says) expect(output).toMatch(each);
}

function missingOf({ missing }: { readonly missing: string }) {
  return { kind: 'missing', reason: `redis: ${missing}` } as const;
}

/** Free at this moment, and all different. */
async function freePorts(count: number): Promise<readonly number[]> {
  const probes = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(probes.map((probe) => once(probe, 'listening')));
  const ports = probes.map((probe) => (probe.address() as AddressInfo).port);
  await Promise.all(probes.map((probe) => once(probe.close(), 'close')));
  return ports;
}

function scriptOf(name: string): string {
  const text = readFileSync(join(ROOT, 'docs', 'guides', `${name}.md`), 'utf8');
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
  expect(blocks.length).toBeGreaterThan(2);
  return ['set -eu', ...blocks].join('\n').replaceAll(URL_IN_GUIDES, sluice.url);
}

function run(script: string, more: Environment): Promise<{ readonly code: number | null; readonly output: string }> {
  return new Promise((resolve) => {
    const env = Object.entries(process.env).filter(([key]) => !key.startsWith('SLUICE_'));
    const child = spawn('bash', ['-c', script], {
      ...{ cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] },
      env: { ...Object.fromEntries(env), ...more, PATH: `${directory}:${process.env.PATH ?? ''}`, NO_COLOR: '1' },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += String(chunk)));
    child.on('close', (code) => resolve({ code, output }));
  });
}
