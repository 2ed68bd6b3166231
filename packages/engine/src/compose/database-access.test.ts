/** What is said of a database that does not let us in, and how TLS is asked for; against the real servers. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { afterAll, describe, expect, test } from 'vitest';
import { createTestDatabase as createMariadb } from '../adapters/sql/dialects/mysql/test-database.contract.ts';
import { createTestDatabase as createPostgres } from '../adapters/sql/dialects/postgres/test-database.contract.ts';
import { describeWithServer, startTestServer } from '../adapters/sql/test-server.contract.ts';
import { makeTlsFiles } from '../adapters/sql/tls-files.contract.ts';
import { databaseAccess } from './database-access.ts';
import { openLedger } from './open-ledger.ts';

const SLOW_MS = 120_000;
const files = makeTlsFiles();

afterAll(() => (files ? rmSync(files.folder, { recursive: true }) : undefined));

/** What a start would say; null when it opens. */
async function saidOf(url: string, query = ''): Promise<string | null> {
  try {
    const databaseUrl = query === '' ? url : `${url}?${query}`;
    const opened = await openLedger({ settings: { databaseUrl, redisUrl: 'redis://shared' }, file: '', onLost() {} });
    await opened.close();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

function withUrl(url: string, change: (url: URL) => void): string {
  const changed = new URL(url);
  change(changed);
  return changed.href;
}

const as = (url: string, user: string, password = '') =>
  withUrl(url, (changed) => Object.assign(changed, { username: user, password, hostname: 'localhost' }));

const tls = files ? { tls: files.folder } : {};

describeWithServer('PostgreSQL', await startTestServer('postgres', tls), ({ url }) => {
  test('says what is wrong when it does not let us in, and what to do', { timeout: SLOW_MS }, async () => {
    const database = await createPostgres(url);
    await database.query(`create role sluice_in login password 'right'; create role sluice_few login connection limit 0;
      create role sluice_plain login; create role sluice_none login; grant all on schema public to sluice_in, sluice_few`);
    await database.query(`copy (select unnest(array[
      'host all sluice_in all scram-sha-256', 'hostssl all sluice_plain all trust', 'host all sluice,sluice_few all trust'
      ])) to program 'cat > pg_hba.conf'`);
    await database.query('select pg_reload_conf()');
    expect(await saidOf(as(database.url, 'sluice_in', 'right'))).toBeNull();
    expect(await saidOf(as(database.url, 'sluice_in', 'secret-word'))).toMatch(
      /^The ledger at postgres:.* cannot be opened\. PostgreSQL: password .* \(28P01\)\. Correct user and password/,
    );
    expect(await saidOf(as(database.url, 'sluice_in', 'secret-word'))).not.toContain('secret-word');
    expect(await saidOf(withUrl(database.url, (changed) => (changed.pathname = '/nowhere')))).toMatch(
      /database "nowhere" does not exist \(3D000\)\. Create the database/,
    );
    expect(await saidOf(as(database.url, 'sluice_few'))).toMatch(/too many connections .*\(53300\)\. Raise its limit/);
    expect(await saidOf(as(database.url, 'sluice_none'))).toMatch(
      /pg_hba\.conf.*\(28000\)\. Its pg_hba\.conf lets nobody/,
    );
    expect(await saidOf(as(database.url, 'sluice_plain'))).toMatch(/add sslmode=require/);
    if (files)
      expect(await saidOf(as(database.url, 'sluice_plain'), 'sslmode=require')).toMatch(/42501.*Let this user/);
    await database.drop();
    // At the end: the server waits a minute for a password that does not come, and drops no database meanwhile.
    expect(await saidOf(as(url, 'sluice_in'))).toMatch(/client password must be .* Correct user and password/);
  });

  test.skipIf(!files)(
    'is spoken to by TLS when that is asked for, and proves who it is',
    { timeout: SLOW_MS },
    async () => {
      const database = await createPostgres(url);
      const named = as(database.url, 'sluice');
      const { rootCert, otherRootCert } = files ?? { rootCert: '', otherRootCert: '' };
      expect(await saidOf(named)).toBeNull();
      expect(await saidOf(named, 'sslmode=require')).toBeNull();
      expect(await saidOf(named, `sslmode=verify-full&sslrootcert=${rootCert}`)).toBeNull();
      expect(await saidOf(named, 'sslmode=verify-full')).toMatch(
        /self-signed certificate\. Give the certificate of the auth/,
      );
      expect(await saidOf(named, `sslmode=verify-full&sslrootcert=${otherRootCert}`)).toMatch(
        /certificate.*sslrootcert=FILE/,
      );
      const byAddress = withUrl(named, (changed) => (changed.hostname = '127.0.0.1'));
      expect(await saidOf(byAddress, `sslmode=verify-full&sslrootcert=${rootCert}`)).toMatch(/Name the server/);
      await database.drop();
    },
  );
});

describeWithServer('a PostgreSQL without TLS', await startTestServer('postgres'), ({ url }) => {
  test('says so when it is asked for', async () => {
    expect(await saidOf(url, 'sslmode=require')).toMatch(/does not support SSL connections\. Switch TLS on/);
  });
});

describeWithServer('MariaDB', await startTestServer('mariadb', tls), ({ url }) => {
  test('says what is wrong when it does not let us in, and what to do', { timeout: SLOW_MS }, async () => {
    const database = await createMariadb(url);
    const name = new URL(database.url).pathname.slice(1);
    // From here on it asks who comes.
    await database.run('flush privileges');
    for (const [user, more] of [
      ['sluice_in', ''],
      ['sluice_none', ''],
      ['sluice_few', 'with max_user_connections 1'],
      ['sluice_tls', 'require ssl'],
    ])
      await database.run(`create user ${user}@'%' identified by 'right' ${more}`);
    for (const user of ['sluice_in', 'sluice_few', 'sluice_tls'])
      await database.run(`grant all on ${name}.* to ${user}@'%'`);
    expect(await saidOf(as(database.url, 'sluice_in', 'right'))).toBeNull();
    expect(await saidOf(as(database.url, 'sluice_in', 'secret-word'))).toMatch(
      /^The ledger at mysql:.* cannot be opened\. MariaDB: Access denied .* \(1045\)\. Correct user and password/,
    );
    expect(await saidOf(as(database.url, 'sluice_none', 'right'))).toMatch(/\(1044\)\. Let this user use the database/);
    const nowhere = withUrl(database.url, (changed) => (changed.pathname = '/nowhere'));
    await database.run(`grant all on nowhere.* to sluice_in@'%'`);
    expect(await saidOf(as(nowhere, 'sluice_in', 'right'))).toMatch(/Unknown database 'nowhere' \(1049\)\. Create/);
    const few = as(database.url, 'sluice_few', 'right');
    const held = [await createConnection({ uri: few })];
    expect(await saidOf(few)).toMatch(/max_user_connections.*\. Raise its limit/);
    await database.run('set global max_connections = 10');
    const fill = async (): Promise<void> => {
      held.push(await createConnection({ uri: as(database.url, 'sluice_in', 'right') }));
      return fill();
    };
    await expect(fill()).rejects.toThrow('Too many connections');
    expect(await saidOf(as(database.url, 'sluice_in', 'right'))).toMatch(/Too many connections.*\. Raise its limit/);
    for (const connection of held) await connection.end();
    await database.run('set global max_connections = 100');
    if (files) {
      await database.run('set global require_secure_transport = on');
      expect(await saidOf(as(database.url, 'sluice_in', 'right'))).toMatch(/\(1045\)\. .*add sslmode=require/);
      expect(await saidOf(as(database.url, 'sluice_in', 'right'), 'sslmode=require')).toBeNull();
      await database.run('set global require_secure_transport = off');
    }
    await database.drop();
  });
});

describeWithServer('another MariaDB', await startTestServer('mariadb', tls), ({ url }) => {
  test.skipIf(!files)(
    'is spoken to by TLS when that is asked for, and proves who it is',
    { timeout: SLOW_MS },
    async () => {
      const database = await createMariadb(url);
      const named = as(database.url, 'root');
      const { rootCert, otherRootCert } = files ?? { rootCert: '', otherRootCert: '' };
      expect(await saidOf(named)).toBeNull();
      expect(await saidOf(named, 'sslmode=require')).toBeNull();
      expect(await saidOf(named, `sslmode=verify-full&sslrootcert=${rootCert}`)).toBeNull();
      expect(await saidOf(named, 'sslmode=verify-full')).toMatch(
        /self-signed certificate.* Give the certificate of the auth/,
      );
      expect(await saidOf(named, `sslmode=verify-full&sslrootcert=${otherRootCert}`)).toMatch(
        /certificate.*sslrootcert=FILE/,
      );
      await database.drop();
    },
  );
});

describeWithServer('a MariaDB without TLS', await startTestServer('mariadb'), ({ url }) => {
  test('says so when it is asked for', async () => {
    expect(await saidOf(url, 'sslmode=require')).toMatch(/does not support secure connection.*\. Switch TLS on/);
  });
});

describe('what a database URL says of TLS', () => {
  const said = (query: string, scheme = 'postgres') => {
    try {
      return databaseAccess(`${scheme}://u:p@db.example/shop?${query}`);
    } catch (error) {
      return (error as Error).message;
    }
  };

  test('is taken out of it, and the rest is left as it is', () => {
    expect(said('application_name=x')).toEqual({ url: 'postgres://u:p@db.example/shop?application_name=x', tls: null });
    expect(said('sslmode=disable', 'mysql')).toEqual({ url: 'mysql://u:p@db.example/shop', tls: null });
    expect(said('sslmode=require&a=b')).toEqual({
      url: 'postgres://u:p@db.example/shop?a=b',
      tls: { isVerified: false },
    });
    expect(said('sslmode=verify-full', 'mariadb')).toMatchObject({ tls: { isVerified: true } });
  });

  test('is refused with what to say when it is said in another way', () => {
    for (const query of [
      'ssl=true',
      'ssl=%7B%7D',
      'ssl-mode=REQUIRED',
      'useSSL=true',
      'sslmode=prefer',
      'sslmode=verify-ca',
    ])
      for (const scheme of ['postgres', 'mysql'])
        expect(said(query, scheme), query).toMatch(
          /^SLUICE_DATABASE_URL: .*Say sslmode=require .* or sslmode=verify-full/,
        );
    expect(said('sslrootcert=x')).toMatch(/of no use without sslmode/);
    expect(said('sslmode=require&sslrootcert=x')).toMatch(/Say sslmode=verify-full/);
    expect(said('sslmode=require&sslcert=x')).toMatch(/go together/);
    expect(said('sslmode=verify-full&sslrootcert=/nowhere/ca.pem')).toMatch(/ca\.pem, cannot be read \(ENOENT\)/);
    expect(databaseAccess('postgres://u@127.0.0.1/d?sslmode=verify-full').tls).toEqual({ isVerified: true });
    expect(() => databaseAccess('mysql://u@127.0.0.1/d?sslmode=verify-full')).toThrow('needs the name of the server');
  });

  test.skipIf(!files)('names files that are PEM', () => {
    const { folder, rootCert } = files ?? { folder: '', rootCert: '' };
    const junk = join(folder, 'junk.pem');
    writeFileSync(junk, 'not a certificate');
    expect(said(`sslmode=verify-full&sslrootcert=${junk}`)).toMatch(/is not PEM/);
    expect(said(`sslmode=verify-full&sslrootcert=${rootCert}`)).toMatchObject({
      tls: { ca: expect.stringContaining('BEGIN CERTIFICATE') },
    });
  });
});
