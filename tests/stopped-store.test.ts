/** Commands that open the store of a deployment that has stopped: books, migrations, damage. */
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { openDatabase } from '../packages/engine/src/adapters/sql/dialects/sqlite/open-ledger.ts';
import { newDataDir, type RunningSluice, runSluice, rushAt, startSluice } from './sluice-process.ts';

// Each command is a process; a busy machine takes its time.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

const OF_SKIN = `where sale_id = 'starter-skin'`;

let sluice: RunningSluice;

async function command(...args: readonly string[]) {
  const { code, stdout, stderr } = await runSluice([...args, '--json', '--data-dir', sluice.dataDir], {
    // Doctor looks whether the port is free, and this machine may have another deployment.
    SLUICE_PORT: '0',
  });
  return { code, stderr, says: stdout === '' ? null : JSON.parse(stdout) };
}

/** With no guard in its way, as somebody with the sqlite3 shell has it. */
async function tamper(statement: string) {
  const database = await openDatabase(join(sluice.dataDir, 'ledger.db'));
  database.exec(statement);
  database.close();
}

beforeAll(async () => {
  sluice = await startSluice({ dataDir: newDataDir() });
  const sale = { kind: 'existing', id: 'starter-skin' } as const;
  expect((await rushAt(sluice, { sale, buyers: 20 })).violations).toEqual([]);
});

describe('reconcile', () => {
  test('asks the deployment while it runs, and its ledger when it does not', async () => {
    expect(await command('reconcile')).toMatchObject({
      ...{ code: 0, stderr: '' },
      says: {
        verdict: 'balanced',
        source: 'deployment',
        sales: [{ total: 500 }, { total: 500 }, { places: { held: 20, available: 480 }, total: 500 }],
      },
    });
    expect(await command('reconcile', 'nothing')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('not_found'),
    });
    expect(await command('migrate')).toMatchObject({ code: 1, stderr: expect.stringContaining('is held by process') });
    // A kill leaves the endpoint behind, and the lock free.
    await sluice.end('SIGKILL');
    expect(await command('reconcile', 'starter-skin')).toMatchObject({
      ...{ code: 0, stderr: '' },
      says: {
        verdict: 'balanced',
        source: 'ledger',
        sales: [{ places: { held: 20, available: null }, total: 500, differences: [] }],
      },
    });
  });

  test('finds a counter that somebody changed, and tells it from books that cannot be read', async () => {
    await tamper(`update quotas set held_units = held_units + 1, sold_units = sold_units + 2 ${OF_SKIN}`);
    const found = await command('reconcile', 'starter-skin');
    expect(found).toMatchObject({ code: 1, says: { verdict: 'unbalanced', sales: [{ verdict: 'unbalanced' }] } });
    expect(found.says.sales[0].differences).toContainEqual({
      ...{ counter: 'quota home/0/main held', against: 'orders', recorded: 21, counted: 20 },
    });
    await tamper(`update quotas set held_units = held_units - 1, sold_units = sold_units - 2 ${OF_SKIN}`);
    expect(await command('reconcile')).toMatchObject({ code: 0 });

    const elsewhere = await runSluice(['reconcile', '--url', 'http://127.0.0.1:1', '--data-dir', sluice.dataDir]);
    expect(elsewhere).toMatchObject({ code: 3, stderr: expect.stringContaining('Nothing answers') });
    const nothing = await runSluice(['reconcile', '--data-dir', newDataDir()]);
    expect(nothing).toMatchObject({ code: 3, stderr: expect.stringContaining('has no ledger') });
  });
});

describe('reconcile --rebuild-check', () => {
  test('rebuilds every balance from the journal, and names the table that says otherwise', async () => {
    expect(await command('reconcile', '--rebuild-check')).toMatchObject({
      ...{ code: 0, stderr: '' },
      says: {
        verdict: 'balanced',
        source: 'journal',
        sales: [{ total: 500 }, { total: 500 }, { places: { held: 20 } }],
      },
    });
    await tamper(
      `update buyers set units = units - 1 where limit_scope = 'starter-skin' and buyer_id = (select min(buyer_id) from buyers)`,
    );
    const found = await command('reconcile', 'starter-skin', '--rebuild-check');
    expect(found).toMatchObject({
      code: 1,
      says: { sales: [{ verdict: 'unbalanced', differences: [{ against: 'journal', recorded: 0, counted: 1 }] }] },
    });
    const told = await runSluice(['reconcile', '--rebuild-check', '--data-dir', sluice.dataDir]);
    expect(told).toMatchObject({ code: 1, stdout: expect.stringContaining('0 written down, 1 by the journal') });
    await tamper(
      `update buyers set units = units + 1 where limit_scope = 'starter-skin' and buyer_id = (select min(buyer_id) from buyers)`,
    );

    expect(await command('reconcile', 'none', '--rebuild-check')).toMatchObject({ code: 3 });
    const url = ['--rebuild-check', '--url', 'http://127.0.0.1:1'];
    expect(await command('reconcile', ...url)).toMatchObject({ code: 2 });
  });
});

describe('doctor', () => {
  const findings = async () => {
    const { code, says } = await command('doctor');
    const byCheck = new Map<string, string>(
      says.findings.map(({ check, level, says: text }: Record<string, string>) => [check, `${level} ${text}`]),
    );
    return { code, byCheck };
  };

  test('finds nothing wrong with what a kill left, and says that it was one', async () => {
    const { code, byCheck } = await findings();
    expect(code).toBe(0);
    expect(byCheck.get('lock')).toMatch(/^warn .*ended without a stop/);
    expect(byCheck.get('ledger')).toMatch(/^ok .*whole and up to date, and its books balance/);
    expect(byCheck.get('clock')).toMatch(/^ok/);
  });

  test('finds a ledger whose books are wrong, and a clock that was stepped back', async () => {
    await tamper(`update quotas set sold_units = sold_units + 1 ${OF_SKIN}`);
    const wrong = await findings();
    expect([wrong.code, wrong.byCheck.get('ledger')]).toEqual([1, expect.stringMatching(/^fail .*starter-skin/)]);
    await tamper(
      `update quotas set sold_units = sold_units - 1 ${OF_SKIN}; update order_events set at_ms = at_ms + 3600000`,
    );
    const late = await findings();
    expect([late.code, late.byCheck.get('clock')]).toEqual([1, expect.stringMatching(/^fail .*stepped back/)]);
    await tamper('update order_events set at_ms = at_ms - 3600000');
  });

  test('finds that the keys of what was sold are lost, and a start says the same', async () => {
    const keys = join(sluice.dataDir, 'keys.json');
    renameSync(keys, `${keys}.away`);
    const { code, byCheck } = await findings();
    expect([code, byCheck.get('keys')]).toEqual([
      1,
      expect.stringMatching(/^fail The ledger has orders, and the keys/),
    ]);
    const { code: refused, stderr } = await command('start');
    expect([refused, `fail ${stderr.trim().replace('sluice: ', '')}`]).toEqual([1, byCheck.get('keys')]);
    renameSync(`${keys}.away`, keys);
    expect((await findings()).byCheck.get('keys')).toMatch(/^ok/);
  });

  test('asks a deployment that runs', async () => {
    const running = await startSluice({ dataDir: sluice.dataDir });
    renameSync(join(sluice.dataDir, 'keys.json'), join(sluice.dataDir, 'keys.away'));
    const keyless = await findings();
    expect([keyless.code, keyless.byCheck.get('keys')]).toEqual([1, expect.stringMatching(/^fail .*before it stops/)]);
    renameSync(join(sluice.dataDir, 'keys.away'), join(sluice.dataDir, 'keys.json'));
    const { code, byCheck } = await findings();
    expect(code).toBe(0);
    expect(byCheck.get('lock')).toBe(`ok Process ${running.pid} holds the data directory.`);
    expect(byCheck.get('deployment')).toMatch(/^ok .*ready for buyers/);
    expect(byCheck.get('breaker')).toBe('ok The ledger settles.');
    expect(byCheck.get('queue')).toMatch(/^ok 0 claims/);
    expect(byCheck.get('test identity')).toMatch(/^ok .*only this machine/);
    await running.end('SIGKILL');
  });
});

describe('migrate', () => {
  test('says which steps are missing, takes them once, and leaves a newer ledger alone', async () => {
    expect(await command('migrate', '--check')).toMatchObject({ code: 0, says: { pending: [] } });
    const dataDir = newDataDir();
    const onNew = (...args: readonly string[]) => runSluice(['migrate', ...args, '--json', '--data-dir', dataDir]);
    const check = await onNew('--check');
    expect(check.code).toBe(1);
    expect(JSON.parse(check.stdout).pending[0]).toBe('0001-ledger');
    const first = await onNew();
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(first.stdout)).toMatchObject({ applied: JSON.parse(check.stdout).pending, pending: [] });
    expect(JSON.parse((await onNew()).stdout)).toMatchObject({ applied: [], pending: [] });
    expect(await onNew('--check')).toMatchObject({ code: 0 });

    await tamper(`insert into ledger_migrations values ('9999-later', '2099-01-01T00:00:00.000Z')`);
    for (const args of [['migrate'], ['reconcile']])
      expect((await command(...args)).stderr, args.join(' ')).toContain('unknown here: 9999-later');
    await tamper(`delete from ledger_migrations where name = '9999-later'`);
  });
});

describe('a data directory that is damaged', () => {
  test('is told as that, with what to do', async () => {
    const dataDir = newDataDir();
    await runSluice(['migrate', '--data-dir', dataDir]);
    writeFileSync(join(dataDir, 'lock.db'), 'no database at all, whatever this is'.repeat(40));
    const lock = await runSluice(['start', '--port', '0', '--data-dir', dataDir]);
    expect(lock).toMatchObject({ code: 1, stderr: expect.stringMatching(/lock\.db is no longer one .*remove it/) });
    writeFileSync(join(dataDir, 'lock.db'), '');
    writeFileSync(join(dataDir, 'ledger.db'), 'no database at all, whatever this is'.repeat(40));
    const ledger = await runSluice(['start', '--port', '0', '--data-dir', dataDir]);
    expect(ledger).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/ledger\.db cannot be opened.*last good backup/),
    });
  });
});
