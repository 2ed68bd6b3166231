/**
 * HMAC-SHA-256 over length-prefixed fields, in one compact text: `kid.body.mac`, where the body is base64url of the fields
 * and the MAC covers purpose, key id and body. Keys are named, so that one can follow another while both still verify.
 */
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { invariant } from '../../domain/invariant.ts';
import type { DerivedPurpose, SignedPurpose, Signer } from '../../ports/signer.ts';
import { idFrom } from './ids.ts';

export interface SigningKey {
  /** Letters, digits, dash and underscore. */
  readonly id: string;
  readonly secret: Uint8Array;
}

/** The shortest secret that is worth its name, in bytes. */
export const MIN_SECRET_BYTES = 32;

const KEY_ID = /^[\w-]+$/;

/** The longest text that is looked at: a token with the longest ids takes half of it. */
const MAX_TEXT_LENGTH = 4_096;

/** 132 bits. Other letters for the same fields would be a second order for who asks again: it never changes. */
const ID_LENGTH = 22;

/** Signs with the first key, verifies with any of them, derives ids with the last. */
export function createSigner(keys: readonly [SigningKey, ...SigningKey[]]): Signer {
  for (const key of keys) {
    invariant(KEY_ID.test(key.id), 'a key id is letters, digits, dash and underscore');
    invariant(key.secret.length >= MIN_SECRET_BYTES, `a secret has at least ${MIN_SECRET_BYTES} bytes`);
  }
  const secrets = new Map<string, KeyObject>(keys.map((key) => [key.id, createSecretKey(key.secret)]));
  invariant(secrets.size === keys.length, 'key ids are different');
  const [current] = keys;
  const currentSecret = createSecretKey(current.secret);
  const oldestSecret = createSecretKey((keys.at(-1) ?? current).secret);

  return {
    sign(purpose, fields) {
      const head = `${current.id}.${encode(fields)}`;
      return `${head}.${mac(currentSecret, purpose, head)}`;
    },
    deriveId: (purpose, fields) => idFrom(mac(oldestSecret, purpose, encode(fields)).slice(0, ID_LENGTH)),
    verify(purpose, text) {
      if (text.length > MAX_TEXT_LENGTH) return null;
      const [keyId, body, signature, ...rest] = text.split('.');
      if (keyId === undefined || body === undefined || signature === undefined || rest.length > 0) return null;
      const secret = secrets.get(keyId);
      if (!secret || !isSame(signature, mac(secret, purpose, `${keyId}.${body}`))) return null;
      return decode(body);
    },
  };
}

function mac(secret: KeyObject, purpose: SignedPurpose | DerivedPurpose, head: string): string {
  return createHmac('sha256', secret).update(`sluice:${purpose}:${head}`).digest('base64url');
}

/** Compared as text: base64url has several spellings of the same bytes, and only ours is right. */
function isSame(given: string, expected: string): boolean {
  const a = Buffer.from(given);
  const b = Buffer.from(expected);
  return a.length === b.length && timingSafeEqual(a, b);
}

function encode(fields: readonly string[]): string {
  return Buffer.from(fields.map((field) => `${field.length}:${field}`).join('')).toString('base64url');
}

function decode(body: string): readonly string[] | null {
  const text = Buffer.from(body, 'base64url').toString();
  const fields: string[] = [];
  for (let at = 0; at < text.length; ) {
    const colon = text.indexOf(':', at);
    const length = Number(text.slice(at, colon));
    const end = colon + 1 + length;
    if (colon < 0 || !Number.isSafeInteger(length) || end > text.length) return null;
    fields.push(text.slice(colon + 1, end));
    at = end;
  }
  return fields;
}
