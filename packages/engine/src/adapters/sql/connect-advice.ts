/**
 * What to do about a database that was reached and does not let us in, by what its driver says: a state of PostgreSQL, a number of
 * MariaDB, or words where there is neither. Null when its own message is all there is.
 */
const PASSWORD = 'Correct user and password in SLUICE_DATABASE_URL.';
/** MariaDB says the same of a connection that is not encrypted and should be. */
const PASSWORD_OR_TLS =
  'Correct user and password in SLUICE_DATABASE_URL; if it is TLS that the server wants, add sslmode=require, or sslmode=verify-full.';
const LET_IN = 'Have the server let this user in from this machine, or correct SLUICE_DATABASE_URL.';
const CREATE = 'Create the database, or correct its name in SLUICE_DATABASE_URL.';
const GRANT = 'Let this user use the database and create tables in it.';
const CONNECTIONS = 'Raise its limit of connections, or end what holds them: each process of Sluice takes up to ten.';
const LET_IN_PLAIN =
  'Its pg_hba.conf lets nobody in like this: add sslmode=require, or sslmode=verify-full, to SLUICE_DATABASE_URL, if it is TLS that it wants, or have it let this user in.';
const NO_TLS = 'Switch TLS on at the server, or leave sslmode out of SLUICE_DATABASE_URL.';
const AUTHORITY = 'Give the certificate of the authority that signed its with sslrootcert=FILE in SLUICE_DATABASE_URL.';
const NAME = 'Name the server in SLUICE_DATABASE_URL as its certificate does.';
const EXPIRED = 'Renew the certificate of the server.';

const ADVICE: Readonly<Record<string, string>> = {
  '28P01': PASSWORD,
  '28000': LET_IN,
  '3D000': CREATE,
  '42501': GRANT,
  '53300': CONNECTIONS,
  '1040': CONNECTIONS,
  '1044': GRANT,
  '1045': PASSWORD_OR_TLS,
  '1049': CREATE,
  '1130': LET_IN,
  '1142': GRANT,
  '1203': CONNECTIONS,
  '1226': CONNECTIONS,
  '1698': PASSWORD,
  HANDSHAKE_NO_SSL_SUPPORT: NO_TLS,
};

/** Where a code is not enough, or there is none. */
const ADVICE_OF_MESSAGE: readonly (readonly [RegExp, string])[] = [
  [/no encryption/, LET_IN_PLAIN],
  [/does not support SSL/, NO_TLS],
  // Of Node's TLS: one of the drivers puts a code of its own in the place of these.
  [/self-signed certificate|unable to (verify|get).* (certificate|issuer)/i, AUTHORITY],
  [/does not match certificate's altnames/, NAME],
  [/certificate has expired/, EXPIRED],
  [/client password must be a string/, PASSWORD],
];

/** `error`: as the driver threw it. */
export function connectAdvice(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const ofMessage = ADVICE_OF_MESSAGE.find(([message]) => message.test(error.message))?.[1];
  if (ofMessage !== undefined) return ofMessage;
  const { code, errno } = error as NodeJS.ErrnoException;
  return ADVICE[String(errno)] ?? ADVICE[String(code)] ?? null;
}
