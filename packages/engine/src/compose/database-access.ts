/**
 * A database URL as people write it, and what the drivers are told: TLS is said the same way for both, by sslmode and the files that
 * go with it, which are read here. Everything else in the URL is the driver's.
 */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { DatabaseTls } from '../adapters/sql/database-tls.ts';
import { CannotStart } from './cannot-start.ts';

export interface DatabaseAccess {
  /** Without what is said of TLS. */
  readonly url: string;
  /** Null: not encrypted. */
  readonly tls: DatabaseTls | null;
}

const MODE = 'sslmode';
const FILES = ['sslrootcert', 'sslcert', 'sslkey'] as const;

const FORM =
  'Say sslmode=require (encrypted, with whoever answers), or sslmode=verify-full (encrypted, and the server proves who it is; with sslrootcert=FILE by an authority of your own).';

export function databaseAccess(text: string): DatabaseAccess {
  const url = new URL(text);
  const said = new Map<string, string>();
  for (const [name, value] of [...url.searchParams]) {
    const isOurs = name === MODE || FILES.some((each) => each === name);
    if (!isOurs && !/ssl|tls/i.test(name)) continue;
    if (!isOurs || said.has(name)) throw mistake(`${name}=${value} is not understood. ${FORM}`);
    said.set(name, value);
    url.searchParams.delete(name);
  }
  return { url: url.href, tls: tlsOf(url, said) };
}

function tlsOf(url: URL, said: ReadonlyMap<string, string>): DatabaseTls | null {
  const mode = said.get(MODE) ?? 'disable';
  if (!['disable', 'require', 'verify-full'].includes(mode)) throw mistake(`sslmode=${mode} is not offered. ${FORM}`);
  const [root, cert, key] = FILES.map((name) => said.get(name));
  if (mode === 'disable') {
    const file = FILES.find((name) => said.has(name));
    if (file) throw mistake(`${file} is of no use without sslmode. ${FORM}`);
    return null;
  }
  if (root !== undefined && mode !== 'verify-full')
    throw mistake('sslrootcert proves nothing with sslmode=require. Say sslmode=verify-full.');
  if ((cert === undefined) !== (key === undefined))
    throw mistake('sslcert and sslkey go together: give both, or none.');
  // Its driver would hold the certificate against the name `localhost`.
  if (mode === 'verify-full' && !url.protocol.startsWith('postgres') && isIP(url.hostname.replace(/^\[|\]$/g, '')) > 0)
    throw mistake(`sslmode=verify-full needs the name of the server, in the place of ${url.hostname}.`);
  return {
    isVerified: mode === 'verify-full',
    ...(root !== undefined && { ca: pemIn('sslrootcert', root) }),
    ...(cert !== undefined && key !== undefined && { cert: pemIn('sslcert', cert), key: pemIn('sslkey', key) }),
  };
}

function pemIn(name: string, file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw mistake(
      `the file of ${name}, ${file}, cannot be read (${code}). Give this user the right to, or correct it.`,
    );
  }
  if (!text.includes('-----BEGIN ')) throw mistake(`the file of ${name}, ${file}, is not PEM.`);
  return text;
}

function mistake(sentence: string): CannotStart {
  return new CannotStart(`SLUICE_DATABASE_URL: ${sentence}`);
}
