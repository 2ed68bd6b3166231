/** How a connection to a database is encrypted; what is not verified may be anybody's who sits between. */
export interface DatabaseTls {
  readonly isVerified: boolean;
  /** PEM. Without: the authorities that Node trusts. */
  readonly ca?: string;
  /** PEM, both or none: what the server knows this client by. */
  readonly cert?: string;
  readonly key?: string;
}

/** As node:tls takes it. */
export function tlsOptions({ isVerified, ca, cert, key }: DatabaseTls) {
  return {
    rejectUnauthorized: isVerified,
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && key !== undefined && { cert, key }),
  };
}
