/** Signs a buyer's JWT as the operator's own back end would: for rehearsals, development and the sample page. */
import { createSigner } from 'fast-jwt';

export interface BuyerJwtOptions {
  readonly secret: string;
  readonly buyerClaim: string;
  readonly lifetimeMs: number;
  /** As the deployment wants them. */
  readonly issuer?: string | undefined;
  readonly audience?: string | undefined;
}

export function createBuyerJwt(options: BuyerJwtOptions): (buyerId: string) => string {
  const { secret, lifetimeMs, issuer, audience } = options;
  const sign = createSigner({
    ...{ key: secret, algorithm: 'HS256', expiresIn: lifetimeMs },
    ...(issuer && { iss: issuer }),
    ...(audience && { aud: audience }),
  });
  return (buyerId) => sign({ [options.buyerClaim]: buyerId });
}
