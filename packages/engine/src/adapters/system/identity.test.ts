import { createHmac, createSign, generateKeyPairSync, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createBuyerJwt } from './buyer-jwt.ts';
import { createJwtIdentity } from './identity.ts';

const SECRET = 'a-secret-of-the-operator-with-32-bytes';
const SECONDS = Math.floor(Date.now() / 1_000);
const CLAIMS = { sub: 'ann', exp: SECONDS + 3_600 };

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

function jwt(claims: unknown, header: object = { alg: 'HS256', typ: 'JWT' }, secret = SECRET, hash = 'sha256'): string {
  const input = `${encode(header)}.${encode(claims)}`;
  return `${input}.${createHmac(hash, secret).update(input).digest('base64url')}`;
}

const newIdentity = () => createJwtIdentity({ secret: SECRET, buyerClaim: 'sub' });
const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Another spelling of the same 32 bytes: the last of 43 letters carries two bits that mean nothing. */
function respell(token: string): string {
  const last = BASE64URL.indexOf(token.at(-1) ?? '');
  return token.slice(0, -1) + BASE64URL[last ^ 1];
}

describe('identity from a JWT', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('knows the buyer that the operator named', () => {
    expect(newIdentity().identify(jwt(CLAIMS))).toEqual({ buyerId: 'ann', region: 'home', channel: 'main' });
  });

  it('takes the issuer and the audience that it was told to, and nothing without them', () => {
    const identity = createJwtIdentity({ secret: SECRET, buyerClaim: 'sub', issuer: 'shop', audience: 'sluice' });
    const right = { ...CLAIMS, iss: 'shop', aud: 'sluice' };
    expect(identity.identify(jwt(right))?.buyerId).toBe('ann');
    expect(identity.identify(jwt({ ...right, aud: ['other', 'sluice'] }))?.buyerId).toBe('ann');
    const signed = createBuyerJwt({
      ...{ secret: SECRET, buyerClaim: 'sub', lifetimeMs: 60_000, issuer: 'shop', audience: 'sluice' },
    });
    expect(identity.identify(signed('ann'))?.buyerId).toBe('ann');
    const { iss: _iss, ...noIssuer } = right;
    const { aud: _aud, ...noAudience } = right;
    const wrong = [
      noIssuer,
      noAudience,
      { ...right, iss: 'Shop' },
      { ...right, iss: ['shop'] },
      { ...right, aud: 'other' },
    ];
    for (const claims of [...wrong, { ...right, aud: [] }, { ...right, iss: '' }, { ...right, aud: null }])
      expect(identity.identify(jwt(claims)), JSON.stringify(claims)).toBeNull();
  });

  it('reads the claim it was told to', () => {
    const identity = createJwtIdentity({ secret: SECRET, buyerClaim: 'account' });
    expect(identity.identify(jwt({ ...CLAIMS, account: '9007199254740993' }))?.buyerId).toBe('9007199254740993');
    expect(identity.identify(jwt(CLAIMS))).toBeNull();
  });

  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const rsInput = `${encode({ alg: 'RS256' })}.${encode(CLAIMS)}`;
  const genuine = jwt(CLAIMS);
  const [head = '', body = '', signature = ''] = genuine.split('.');

  it.each<[string, string]>([
    ['nothing', ''],
    ['no parts', 'x'],
    ['alg none, no signature', `${encode({ alg: 'none' })}.${encode(CLAIMS)}.`],
    ['alg none, two parts', `${encode({ alg: 'none' })}.${encode(CLAIMS)}`],
    ['alg None with our signature', jwt(CLAIMS, { alg: 'None' })],
    ['alg missing', jwt(CLAIMS, { typ: 'JWT' })],
    ['alg HS512, rightly signed', jwt(CLAIMS, { alg: 'HS512' }, SECRET, 'sha512')],
    ['alg HS512 in the head only', jwt(CLAIMS, { alg: 'HS512' })],
    ['RS256 of a stranger', `${rsInput}.${createSign('RSA-SHA256').update(rsInput).sign(privateKey, 'base64url')}`],
    ['RS256 in the head, our HMAC', jwt(CLAIMS, { alg: 'RS256' })],
    [
      'HMAC with a public key as its secret',
      jwt(CLAIMS, { alg: 'HS256' }, publicKey.export({ type: 'spki', format: 'pem' }).toString()),
    ],
    ['a key from the head', jwt(CLAIMS, { alg: 'HS256', jwk: { kty: 'oct', k: encode('mine') } }, 'mine')],
    ['an unknown critical header', jwt(CLAIMS, { alg: 'HS256', crit: ['x'], x: 1 })],
    ['another secret', jwt(CLAIMS, { alg: 'HS256' }, `${SECRET}!`)],
    ['an empty signature', `${head}.${body}.`],
    ['a trimmed signature', genuine.slice(0, -1)],
    ['half a signature', genuine.slice(0, -22)],
    ['a lengthened signature', `${genuine}A`],
    ['a padded signature', `${genuine}=`],
    ['another spelling of the signature', respell(genuine)],
    ['the signature twice', `${genuine}.${signature}`],
    ['the body of another', `${head}.${encode({ ...CLAIMS, sub: 'bob' })}.${signature}`],
    ['white space around', ` ${genuine}`],
    ['expired', jwt({ ...CLAIMS, exp: SECONDS - 1 })],
    ['no expiry', jwt({ sub: 'ann' })],
    ['expiry as text', jwt({ ...CLAIMS, exp: String(CLAIMS.exp) })],
    ['expiry null', jwt({ ...CLAIMS, exp: null })],
    ['not yet', jwt({ ...CLAIMS, nbf: SECONDS + 600 })],
    ['no buyer', jwt({ exp: CLAIMS.exp })],
    ['a number for a buyer', jwt({ ...CLAIMS, sub: 7 })],
    ['an object for a buyer', jwt({ ...CLAIMS, sub: { toString: 'ann' } })],
    ['an empty buyer', jwt({ ...CLAIMS, sub: '' })],
    ['a buyer with NUL', jwt({ ...CLAIMS, sub: 'a\0b' })],
    ['a buyer too long', jwt({ ...CLAIMS, sub: 'x'.repeat(513) })],
    ['claims that are a text', jwt('ann')],
    ['claims that are null', jwt(null)],
  ])('does not know a caller with %s', (_name, credential) => {
    const identity = newIdentity();
    expect(identity.identify(genuine)?.buyerId).toBe('ann');
    expect(identity.identify(credential)).toBeNull();
    expect(identity.identify(credential)).toBeNull();
  });

  it('never throws, whatever text it is given', () => {
    const identity = newIdentity();
    const part = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(head, body, signature, 'e30', ''));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
        const credential = parts.join('.');
        fc.pre(credential !== genuine);
        expect(identity.identify(credential)).toBeNull();
      }),
    );
  });

  it('forgets a remembered token the moment it expires, and does not take one early', () => {
    vi.useFakeTimers({ now: 1_000_000_000 });
    const identity = newIdentity();
    const short = jwt({ sub: 'ann', nbf: 1_000_002, exp: 1_000_005 });
    expect(identity.identify(short)).toBeNull();
    vi.setSystemTime(1_000_002_000);
    expect(identity.identify(short)?.buyerId).toBe('ann');
    vi.setSystemTime(1_000_004_999);
    expect(identity.identify(short)?.buyerId).toBe('ann');
    vi.setSystemTime(1_000_005_000);
    expect(identity.identify(short)).toBeNull();
    expect(newIdentity().identify(short)).toBeNull();
  });

  it('goes on knowing buyers when more come than it remembers', () => {
    const identity = newIdentity();
    const tokens = Array.from({ length: 20_000 }, (_, index) => jwt({ ...CLAIMS, sub: `buyer-${index}` }));
    for (let round = 0; round < 2; round++) {
      tokens.forEach((token, index) => {
        if (identity.identify(token)?.buyerId !== `buyer-${index}`) throw new Error(`lost buyer ${index}`);
      });
    }
    expect(identity.identify(randomBytes(32).toString('base64url'))).toBeNull();
  });
});
