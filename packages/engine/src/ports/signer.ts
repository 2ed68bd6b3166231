/**
 * Signs short lists of strings so that they can be handed to a stranger and known again. Fields are length-prefixed and all
 * of them, the purpose and the key's id are inside the signature: no byte can move from one field to its neighbour, and a
 * signature made for one purpose proves nothing for another.
 */
export type SignedPurpose = 'purchase' | 'receipt';

export type DerivedPurpose = 'bulk' | 'token';

export interface Signer {
  sign(purpose: SignedPurpose, fields: readonly string[]): string;
  /**
   * An id of 22 URL-safe letters that nobody without the key can tell beforehand, the same for the same fields as long as
   * the oldest key is there: a newer one put before it changes no id.
   */
  deriveId(purpose: DerivedPurpose, fields: readonly string[]): string;
  /** The fields, or null when the text was not signed here, was changed, or serves another purpose. Never throws. */
  verify(purpose: SignedPurpose, text: string): readonly string[] | null;
}
