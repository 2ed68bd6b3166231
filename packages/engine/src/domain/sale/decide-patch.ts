/** Whether an operator's change of a sale is made. Read and applied in one transaction. */
import type { Sale, SalePatch } from './sale.ts';

export type PatchDecision =
  | { readonly kind: 'patched'; readonly sale: Sale }
  /** The sale has changed since the caller read it: who is late must not undo what somebody else has set. */
  | { readonly kind: 'stale_version'; readonly sale: Sale }
  /** The window would end before it starts. */
  | { readonly kind: 'bad_window'; readonly sale: Sale }
  /** A settled sale changes no more. */
  | { readonly kind: 'wrong_state'; readonly sale: Sale };

/** `version`: the one that the caller saw. */
export function decidePatch(sale: Sale, version: number, patch: SalePatch): PatchDecision {
  if (sale.state === 'settled') return { kind: 'wrong_state', sale };
  if (sale.version !== version) return { kind: 'stale_version', sale };
  const patched: Sale = { ...sale, ...patch, version: sale.version + 1 };
  return patched.startsAtMs < patched.endsAtMs ? { kind: 'patched', sale: patched } : { kind: 'bad_window', sale };
}
