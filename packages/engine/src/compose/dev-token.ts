/** A JWT for a buyer, signed with the deployment's key, for whoever holds that key. */
import { createBuyerJwt } from '../adapters/system/buyer-jwt.ts';
import { isBuyerId } from '../domain/ids.ts';

export interface DevTokenRequest {
  readonly jwtKey: string;
  readonly buyerClaim: string;
  readonly buyer: string;
  readonly lifetimeMs: number;
  readonly issuer?: string | undefined;
  readonly audience?: string | undefined;
}

/** Null for a name that no buyer can have. */
export function signDevToken({ jwtKey, buyer, ...claims }: DevTokenRequest): string | null {
  return isBuyerId(buyer) ? createBuyerJwt({ secret: jwtKey, ...claims })(buyer) : null;
}
