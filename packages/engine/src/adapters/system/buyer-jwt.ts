/** Signs a buyer's JWT as the operator's own back end would: for rehearsals, development and the sample page. */
import { createSigner } from 'fast-jwt';

export interface BuyerJwtOptions {
  readonly secret: string;
  readonly buyerClaim: string;
  readonly lifetimeMs: number;
}

export function createBuyerJwt(options: BuyerJwtOptions): (buyerId: string) => string {
  const sign = createSigner({ key: options.secret, algorithm: 'HS256', expiresIn: options.lifetimeMs });
  return (buyerId) => sign({ [options.buyerClaim]: buyerId });
}
