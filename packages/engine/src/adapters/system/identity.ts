/**
 * Buyers' identity from the operator's JWT, HS256 with one fixed algorithm. A verified token is remembered until it expires,
 * for a bounded number of them: buyers come back several times within seconds. What is not genuine is not remembered, so
 * that a flood of it drives nobody out.
 */
import { createVerifier } from 'fast-jwt';
import type { Buyer } from '../../domain/buyer.ts';
import { isBuyerId } from '../../domain/ids.ts';
import { HOME_REGION, MAIN_CHANNEL } from '../../domain/inventory/quota.ts';
import type { IdentityVerifier } from '../../ports/identity.ts';

/** Two generations of this many, at about a kilobyte each. */
const REMEMBERED_TOKENS = 8_192;

interface Remembered {
  readonly buyer: Buyer;
  /** Good in [notBeforeMs, expiresMs). */
  readonly notBeforeMs: number;
  readonly expiresMs: number;
}

export interface JwtIdentityOptions {
  readonly secret: string;
  readonly buyerClaim: string;
  /** Whose JWTs are taken, and meant for whom; anybody's when not given. */
  readonly issuer?: string | undefined;
  readonly audience?: string | undefined;
}

export function createJwtIdentity(options: JwtIdentityOptions): IdentityVerifier {
  const { secret, buyerClaim, issuer, audience } = options;
  const verify = createVerifier({
    ...{ key: secret, algorithms: ['HS256'] },
    // The library looks at an issuer or audience only when there is one.
    requiredClaims: ['exp', buyerClaim, ...(issuer ? ['iss'] : []), ...(audience ? ['aud'] : [])],
    ...(issuer && { allowedIss: issuer }),
    ...(audience && { allowedAud: audience }),
  });
  let young = new Map<string, Remembered>();
  let old = new Map<string, Remembered>();

  /** The whole token is the key: no hash to pay for, and no two tokens with one key. */
  function remember(credential: string, remembered: Remembered): void {
    if (young.size >= REMEMBERED_TOKENS) {
      old = young;
      young = new Map();
    }
    young.set(credential, remembered);
  }

  function recall(credential: string): Remembered | undefined {
    const recent = young.get(credential);
    if (recent) return recent;
    const earlier = old.get(credential);
    if (earlier) remember(credential, earlier);
    return earlier;
  }

  function read(credential: string): Remembered | null {
    if (!isSpelledOneWay(credential)) return null;
    let claims: Readonly<Record<string, unknown>>;
    try {
      claims = verify(credential);
    } catch {
      // Whatever is wrong with it, the caller is not known; the library throws for each way to be wrong.
      return null;
    }
    const { [buyerClaim]: buyerId, exp, nbf = 0 } = claims;
    if (typeof exp !== 'number' || typeof nbf !== 'number') return null;
    if (typeof buyerId !== 'string' || !isBuyerId(buyerId)) return null;
    const buyer = { buyerId, region: HOME_REGION, channel: MAIN_CHANNEL };
    const remembered = { buyer, notBeforeMs: nbf * 1_000, expiresMs: exp * 1_000 };
    remember(credential, remembered);
    return remembered;
  }

  return {
    identify(credential) {
      const known = recall(credential) ?? read(credential);
      if (!known) return null;
      const nowMs = Date.now();
      return nowMs >= known.notBeforeMs && nowMs < known.expiresMs ? known.buyer : null;
    },
  };
}

/** The library compares bytes, and base64url has several texts for the same bytes; everything else is inside the MAC. */
function isSpelledOneWay(credential: string): boolean {
  const signature = credential.slice(credential.lastIndexOf('.') + 1);
  return Buffer.from(signature, 'base64url').toString('base64url') === signature;
}
