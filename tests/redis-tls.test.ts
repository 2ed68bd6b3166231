/** A Redis that is reached by TLS and by a user who may do no more than the guide says: sales are sold as on any other. */
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startRedis } from '../packages/engine/src/adapters/redis/redis-server.contract.ts';
import { rulesOf } from './guide-users.ts';
import { newDataDir, runSluice, rushAt, startSluice } from './sluice-process.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const ADAPTER = join(import.meta.dirname, '../packages/engine/src/adapters/redis');
const RULES = rulesOf('sluice');
const SAMPLE = 'starter-skin';
const found = await startRedis();
const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
if (!hasOpenssl && process.env.CI !== 'true') console.warn('left out: a Redis with TLS: there is no openssl here');

describe.skipIf('missing' in found || (!hasOpenssl && process.env.CI !== 'true'))(
  'a Redis with TLS and a user of its own',
  () => {
    if ('missing' in found) return;
    const { server } = found;
    const directory = mkdtempSync(join(tmpdir(), 'sluice-tls-'));
    const file = (name: string) => join(directory, name);
    const trusting = { NODE_EXTRA_CA_CERTS: file('cert.pem') };
    let url: string;

    beforeAll(async () => {
      const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'];
      const out = ['-keyout', file('key.pem'), '-out', file('cert.pem')];
      execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject, ...out], {
        stdio: 'pipe',
      });
      // The server runs as somebody else.
      for (const each of [directory, file('key.pem'), file('cert.pem')]) chmodSync(each, 0o755);
      const port = await freePort();
      const files = [
        'tls-cert-file',
        file('cert.pem'),
        'tls-key-file',
        file('key.pem'),
        'tls-ca-cert-file',
        file('cert.pem'),
      ];
      await server.admin.call('CONFIG', 'SET', ...files, 'tls-auth-clients', 'no', 'tls-port', port);
      await server.admin.call('ACL', 'SETUSER', 'sluice', 'reset', ...RULES);
      url = `rediss://sluice:secret@127.0.0.1:${port}`;
    });
    afterAll(async () => {
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    });

    test('sells what there is, and its doctor finds nothing wrong with it', async () => {
      const env = { ...trusting, SLUICE_REDIS_URL: url };
      const sluice = await startSluice({ dataDir: newDataDir(), env: { ...env, SLUICE_MAX_LOOP_LAG_MS: '0' } });
      const report = await rushAt(sluice, { sale: { kind: 'existing', id: SAMPLE }, buyers: 300 });
      expect(report.violations).toEqual([]);
      expect(report.orders).toBeGreaterThan(0);
      const doctor = await runSluice(['doctor', '--data-dir', sluice.dataDir, '--json'], env);
      const { findings } = JSON.parse(doctor.stdout) as { findings: { check: string; level: string; says: string }[] };
      expect(findings.filter(({ check, level }) => check === 'redis' && level === 'fail')).toEqual([]);
      expect(findings).toContainEqual(expect.objectContaining({ check: 'redis', level: 'ok' }));
      const { stderr } = await sluice.end('SIGTERM');
      expect(stderr).not.toMatch(/NOPERM|refused a call/);
      // Whatever it asked for, it was allowed to.
      expect(await server.admin.call('ACL', 'LOG')).toEqual([]);
    });

    test('lets that user do nothing else', async () => {
      const { port } = new URL(url);
      const login = { username: 'sluice', password: 'secret', tls: { ca: readFileSync(file('cert.pem')) } };
      const user = server.admin.duplicate({ ...login, host: '127.0.0.1', port: Number(port) });
      for (const call of [
        ...[
          ['FLUSHALL'],
          ['FLUSHDB'],
          ['SHUTDOWN'],
          ['MONITOR'],
          ['KEYS', '*'],
          ['ACL', 'LIST'],
          ['DEBUG', 'SLEEP', '0'],
        ],
        ['CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru'],
        ...[
          ['GET', 'another'],
          ['HGETALL', 'another'],
          ['SUBSCRIBE', 'another'],
          ['PUBLISH', 'another', 'x'],
        ],
        ['EVAL', "return redis.call('HGETALL', 'another')", '0'],
      ]) {
        const [name = '', ...args] = call;
        await expect(user.call(name, ...args), call.join(' ')).rejects.toThrow(/NOPERM|ACL failure|can't access/);
      }
      user.disconnect();
      await server.admin.call('ACL', 'LOG', 'RESET');
    });

    test('is not opened by who does not know its certificate, or its password, and neither is told', async () => {
      const wrong = url.replace('secret', 'guessed');
      for (const [env, sentence] of [
        [{ SLUICE_REDIS_URL: url }, /cannot be reached: self-signed certificate/],
        [{ ...trusting, SLUICE_REDIS_URL: wrong }, /cannot be reached: WRONGPASS/],
        [{ SLUICE_REDIS_URL: url.replace('rediss:', 'redis:') }, /cannot be reached/],
      ] as const) {
        const ended = await runSluice(['start', '--port', '0', '--data-dir', newDataDir()], env);
        expect(ended.code).toBe(1);
        expect(ended.stderr).toMatch(sentence);
        expect(ended.stderr).not.toMatch(/secret|guessed/);
      }
    });
  },
);

test('the user of the guide may use every command that is in a script or sent by itself', () => {
  const files = readdirSync(ADAPTER, { recursive: true, encoding: 'utf8' });
  const texts = files
    .filter((name) => /(\.lua|\.ts)$/.test(name) && !/(test|contract)\.ts$/.test(name))
    .map((name) => readFileSync(join(ADAPTER, name), 'utf8'));
  const calls = texts.flatMap((text) => [
    ...text.matchAll(/(?:redis\.p?call|\bcall|\bcommand|stage\(connection,)\s*\(?\s*'([A-Z]+)'(?:, '([A-Z]+)')?/g),
  ]);
  const wanted = new Set(
    calls.map(([, name = '', sub]) => {
      const hasSub = ['XGROUP', 'XINFO', 'CONFIG', 'CLUSTER', 'PUBSUB'].includes(name);
      return `+${name}${hasSub ? `|${sub}` : ''}`.toLowerCase();
    }),
  );
  expect(wanted.size).toBeGreaterThan(30);
  expect([...wanted].filter((rule) => !RULES.includes(rule))).toEqual([]);
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { readonly port: number };
  await once(probe.close(), 'close');
  return port;
}
