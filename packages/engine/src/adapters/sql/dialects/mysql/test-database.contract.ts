/** A database of its own for each suite, so that several may share a server. */
import { randomBytes } from 'node:crypto';
import { createConnection, createPool } from 'mysql2/promise';

export interface TestDatabase {
  readonly url: string;
  /** Statements as anybody may send them. */
  run(text: string): Promise<readonly unknown[]>;
  drop(): Promise<void>;
}

export async function createTestDatabase(serverUrl: string): Promise<TestDatabase> {
  const name = `sluice_test_${randomBytes(6).toString('hex')}`;
  await onServer(serverUrl, `create database ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const pool = createPool({ uri: url.href, connectionLimit: 2 });
  return {
    url: url.href,
    async run(text) {
      const [rows] = await pool.query(text);
      return Array.isArray(rows) ? rows : [];
    },
    async drop() {
      await pool.end();
      await onServer(serverUrl, `drop database ${name}`);
    },
  };
}

async function onServer(url: string, text: string): Promise<void> {
  const connection = await createConnection({ uri: url });
  try {
    await connection.query(text);
  } finally {
    await connection.end();
  }
}
