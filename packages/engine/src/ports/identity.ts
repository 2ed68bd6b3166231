/** Tells who a caller is from what their operator signed. No call to anybody: the hot path waits for no stranger. */
import type { Buyer } from '../domain/buyer.ts';

export interface IdentityVerifier {
  /** Null when the credential was not signed by the operator, has expired, or names no buyer. Never throws. */
  identify(credential: string): Buyer | null;
}
