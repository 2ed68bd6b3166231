/** A deployment whose ledger is in a database, and the commands that look at it when it has stopped. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createTestDatabase as createMariadb } from '../packages/engine/src/adapters/sql/dialects/mysql/test-database.contract.ts';
import { createTestDatabase } from '../packages/engine/src/adapters/sql/dialects/postgres/test-database.contract.ts';
import {
  describeWithServer,
  startTestServer,
  type TestServer,
} from '../packages/engine/src/adapters/sql/test-server.contract.ts';
import { newDataDir, runSluice, startSluice } from './sluice-process.ts';

// Each command is a process; a busy machine takes its time.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

interface OwnDatabase {
  readonly url: string;
  run(statement: string): Promise<unknown>;
  drop(): Promise<void>;
}

const SUBJECTS: readonly (readonly [string, TestServer, (url: string) => Promise<OwnDatabase>])[] = [
  [
    'PostgreSQL',
    await startTestServer('postgres'),
    async (server) => {
      const { url, query, drop } = await createTestDatabase(server);
      return { url, run: query, drop };
    },
  ],
  ['MariaDB', await startTestServer('mariadb'), createMariadb],
];

for (const [name, server, create] of SUBJECTS)
  describeWithServer(`a ledger in ${name}`, server, ({ url }) => {
    let database: OwnDatabase;
    let dataDir: string;

    async function command(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
      const all = { SLUICE_PORT: '0', SLUICE_DATABASE_URL: database.url, ...env };
      const { code, stdout, stderr } = await runSluice([...args, '--json', '--data-dir', dataDir], all);
      return { code, stderr, says: stdout === '' ? null : JSON.parse(stdout) };
    }
    const address = () => {
      const { protocol, host, pathname } = new URL(database.url);
      return `${protocol}//${host}${pathname}`;
    };
    const ledgerFinding = ({ says }: Awaited<ReturnType<typeof command>>): string =>
      says.findings
        .filter(({ check }: { readonly check: string }) => check === 'ledger')
        .map((each: Record<string, string>) => `${each.level} ${each.says}`)
        .join();

    beforeAll(async () => {
      database = await create(url);
      dataDir = newDataDir();
    });
    afterAll(() => database.drop());

    test('is what migrate, doctor and reconcile look at, and no file is made for one', async () => {
      const check = await command(['migrate', '--check']);
      expect(check).toMatchObject({ code: 1, says: { ledger: address() } });
      expect(ledgerFinding(await command(['doctor']))).toBe(
        `ok ${address()} has no tables yet: a start makes them, or \`sluice migrate\`.`,
      );
      expect(await command(['migrate'])).toMatchObject({ code: 0, says: { applied: check.says.pending, pending: [] } });
      expect(await command(['reconcile'])).toMatchObject({ code: 0, says: { source: 'ledger', sales: [] } });
      expect(existsSync(dataDir)).toBe(false);

      const running = await startSluice({ dataDir, env: { SLUICE_DATABASE_URL: database.url } });
      const whileItRuns = await command(['doctor']);
      expect(whileItRuns.code).toBe(0);
      expect(ledgerFinding(whileItRuns)).toBe(`ok ${address()} is whole and up to date, and its books balance.`);
      expect(whileItRuns.says.findings).toContainEqual({
        ...{ check: 'lock', level: 'ok', says: `Process ${running.pid} holds the data directory.` },
      });
      await running.end('SIGKILL');
      expect(await command(['reconcile'])).toMatchObject({
        code: 0,
        says: {
          source: 'ledger',
          sales: [{ total: 500 }, { total: 500 }, { total: 500, places: { available: null } }],
        },
      });
      await database.run(`insert into buyers values ('starter-skin', 'nobody', 2, 1)`);
      expect(await command(['reconcile'])).toMatchObject({ code: 1, says: { verdict: 'unbalanced' } });
      expect(ledgerFinding(await command(['doctor']))).toMatch(/^fail The books of starter-skin do not balance/);
      expect(existsSync(join(dataDir, 'ledger.db'))).toBe(false);
    });

    test('is remembered by its data directory: no command takes an empty one in its place', async () => {
      const remembered = readFileSync(join(dataDir, 'ledger.json'), 'utf8');
      expect(JSON.parse(remembered)).toEqual({ database: address() });
      const nowhere = { SLUICE_DATABASE_URL: '' };
      for (const args of [
        ['start'],
        ['migrate'],
        ['migrate', '--check'],
        ['reconcile'],
        ['reconcile', '--rebuild-check'],
      ])
        expect(await command(args, nowhere), args.join(' ')).toMatchObject({
          code: args[0] === 'reconcile' ? 3 : 1,
          says: null,
          stderr: expect.stringContaining(`is in the database ${address()}: set SLUICE_DATABASE_URL to it`),
        });
      const doctor = await command(['doctor'], nowhere);
      expect([doctor.code, ledgerFinding(doctor)]).toEqual([1, expect.stringContaining('set SLUICE_DATABASE_URL')]);
      expect(existsSync(join(dataDir, 'ledger.db'))).toBe(false);
    });

    test('is not left for another by a start, unless that is meant', async () => {
      const { protocol } = new URL(database.url);
      const other = { SLUICE_DATABASE_URL: `${protocol}//somebody:secret-word@127.0.0.1:1/shop` };
      const remembered = readFileSync(join(dataDir, 'ledger.json'), 'utf8');
      const start = await command(['start'], other);
      expect(start).toMatchObject({ code: 1, says: null });
      expect(start.stderr).toContain(`is in the database ${address()}, and SLUICE_DATABASE_URL names`);
      expect(start.stderr).toContain(`delete ${join(dataDir, 'ledger.json')}`);
      expect(start.stderr).not.toContain('secret-word');
      expect(readFileSync(join(dataDir, 'ledger.json'), 'utf8')).toBe(remembered);

      const moved = await create(url);
      rmSync(join(dataDir, 'ledger.json'));
      const running = await startSluice({ dataDir, env: { SLUICE_DATABASE_URL: moved.url } });
      await running.end('SIGKILL');
      expect(readFileSync(join(dataDir, 'ledger.json'), 'utf8')).toContain(new URL(moved.url).pathname);
      writeFileSync(join(dataDir, 'ledger.json'), remembered);
      await moved.drop();
    });

    test('that cannot be reached is told by doctor as that, without its password', async () => {
      const { protocol } = new URL(database.url);
      const away = { SLUICE_DATABASE_URL: `${protocol}//somebody:secret-word@127.0.0.1:1/shop` };
      const doctor = await command(['doctor'], away);
      expect([doctor.code, ledgerFinding(doctor)]).toEqual([
        ...[1, expect.stringContaining(`fail The ledger at ${protocol}//127.0.0.1:1/shop cannot be opened`)],
      ]);
      expect(JSON.stringify(doctor)).not.toContain('secret-word');
    });
  });
