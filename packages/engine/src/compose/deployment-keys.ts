/**
 * The keys of an embedded deployment: the configured ones, and for the rest those that were generated on the first start and
 * are kept in the data directory, so that a token outlives a restart.
 */
import { randomBytes } from 'node:crypto';
import { MIN_SECRET_BYTES, type SigningKey } from '../adapters/system/signing.ts';
import { MIN_KEY_LENGTH, type Settings } from '../config/settings.ts';
import { Fault } from '../domain/fault.ts';
import { keysFile, readKeys, type StoredKeys, writeKeys } from './deployment-files.ts';

export interface DeploymentKeys {
  readonly jwtKey: string;
  readonly adminKey: string;
  readonly serverKey: string;
  readonly tokenKeys: readonly [SigningKey, ...SigningKey[]];
  /** Nobody else signs with it: a development identity does no harm. */
  readonly isJwtKeyGenerated: boolean;
}

type KeySettings = Pick<Settings, 'jwtKey' | 'adminKey' | 'serverKey' | 'tokenKeys'>;

export interface PreparedKeys {
  readonly keys: DeploymentKeys;
  /** Nothing was ever signed with those of tokens and receipts: they were made just now. */
  readonly hasNewTokenKeys: boolean;
  /** Writes down what was made. */
  keep(): void;
}

/** Generates what is missing. */
export function prepareKeys(dataDir: string, settings: KeySettings): PreparedKeys {
  const stored = readKeys(dataDir);
  const kept = withMissing(stored, settings);
  return {
    keys: keysOf(kept, settings),
    hasNewTokenKeys: settings.tokenKeys === undefined && stored.tokenKeys === undefined,
    keep() {
      if (JSON.stringify(kept) !== JSON.stringify(stored)) writeKeys(dataDir, kept);
    },
  };
}

/** Of a deployment that has sold, and whose keys of tokens are neither configured nor in its data directory. */
export function lostKeysSentence(dataDir: string): string {
  return `The ledger has orders, and the keys that their tokens and receipts were signed with are not in ${keysFile(dataDir)}. With new ones, no token or receipt of before is taken, and a bulk request that is repeated buys again. Put the file back, or set SLUICE_TOKEN_KEYS to what it had; when they are lost, \`sluice start --new-keys\` makes new ones.`;
}

function withMissing(stored: StoredKeys, settings: KeySettings): StoredKeys {
  return {
    ...stored,
    ...(settings.jwtKey === undefined && { jwtKey: stored.jwtKey ?? newSecret() }),
    ...(settings.adminKey === undefined && { adminKey: stored.adminKey ?? newSecret() }),
    ...(settings.serverKey === undefined && { serverKey: stored.serverKey ?? newSecret() }),
    ...(settings.tokenKeys === undefined && { tokenKeys: stored.tokenKeys ?? [`k1:${newSecret()}`] }),
  };
}

/** Of what is configured, and for the rest of what is kept. */
export function keysOf(kept: StoredKeys, settings: KeySettings): DeploymentKeys {
  return {
    jwtKey: settings.jwtKey ?? storedKey('jwtKey', kept.jwtKey),
    adminKey: settings.adminKey ?? storedKey('adminKey', kept.adminKey),
    serverKey: settings.serverKey ?? storedKey('serverKey', kept.serverKey),
    tokenKeys: signingKeys(settings.tokenKeys ?? kept.tokenKeys),
    isJwtKeyGenerated: settings.jwtKey === undefined,
  };
}

function newSecret(): string {
  return randomBytes(MIN_SECRET_BYTES).toString('base64url');
}

function signingKeys(texts: unknown): readonly [SigningKey, ...SigningKey[]] {
  if (!Array.isArray(texts)) throw brokenKeys();
  const [first, ...rest] = texts.map(signingKey);
  if (!first) throw brokenKeys();
  return [first, ...rest];
}

function signingKey(text: unknown): SigningKey {
  const [id, secret] = textOf(text).split(':');
  if (!id || !secret || Buffer.from(secret, 'base64url').length < MIN_SECRET_BYTES) throw brokenKeys();
  return { id, secret: Buffer.from(secret, 'base64url') };
}

/** A key from the file opens as much as one from the configuration, and is held to the same length. */
function storedKey(name: string, value: unknown): string {
  const key = textOf(value);
  if (key.length >= MIN_KEY_LENGTH) return key;
  throw new Fault(
    'storage_unusable',
    `keys.json in the data directory has a ${name} of ${key.length} characters; it takes at least ${MIN_KEY_LENGTH}. Put a longer one there, or remove it to have a new one made.`,
  );
}

/** Holds what a file said to what this program would have written there. */
function textOf(value: unknown): string {
  if (typeof value !== 'string' || value === '') throw brokenKeys();
  return value;
}

function brokenKeys(): Fault {
  const sentence =
    'keys.json in the data directory was changed and holds no usable keys. Restore it, or, when they are lost, move it away to have new ones made.';
  return new Fault('storage_unusable', sentence);
}
