/** Certificates for tests of TLS, made by `openssl`: one for the name localhost that signs itself, and another authority's. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const OPENSSL = 'openssl';

export interface TlsFiles {
  /** With `server.crt` and `server.key`. */
  readonly folder: string;
  readonly rootCert: string;
  readonly otherRootCert: string;
}

/** Null where there is no openssl. */
export function makeTlsFiles(): TlsFiles | null {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-tls-'));
  const make = (name: string): boolean => {
    const { status } = spawnSync(OPENSSL, [
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${name}`],
      ...['-addext', 'subjectAltName=DNS:localhost'],
      ...['-keyout', join(folder, `${name}.key`), '-out', join(folder, `${name}.crt`)],
    ]);
    return status === 0;
  };
  if (!make('server') || !make('other')) return null;
  return { folder, rootCert: join(folder, 'server.crt'), otherRootCert: join(folder, 'other.crt') };
}
