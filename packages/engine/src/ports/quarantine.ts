/**
 * What was set aside for a person: claims that the ledger's laws refuse alone (see `Settlement.quarantine`), and entries of a
 * queue that nobody can read. One list, whatever the reason.
 */
import type { SaleId } from '../domain/ids.ts';
import { segmentName } from '../domain/inventory/quota.ts';
import type { SettlementOutcome } from '../domain/ledger/decide-settlement.ts';
import type { Claim } from '../domain/order/claim.ts';
import type { UnreadEntry } from './queue.ts';

export interface SetAside {
  /** Of a claim, the claim's. */
  readonly id: string;
  readonly saleId: SaleId;
  /** What is `quarantined` for it; an entry that cannot be read holds no units, for its claim is told by its mark. */
  readonly units: number;
  readonly reason: string;
  readonly what:
    | { readonly kind: 'claim'; readonly claim: Claim }
    | { readonly kind: 'unread'; readonly entry: UnreadEntry };
}

export type DropResult =
  /** `outcome`: what was told the gate, when there was something; null: it is only forgotten. */
  | { readonly kind: 'dropped'; readonly outcome: SettlementOutcome | null }
  /** Nothing moves in a settled sale: it stays. */
  | { readonly kind: 'sale_settled' }
  | { readonly kind: 'absent' };

export interface Quarantine {
  /** Once per entry. */
  keep(entries: readonly UnreadEntry[]): Promise<void>;
  /** By rising id, behind `after`; null: from the first. */
  list(after: string | null, max: number): Promise<readonly SetAside[]>;
  find(id: string): Promise<SetAside | null>;
  /**
   * Takes a claim out and settles it as `Settlement.settle` does, in one transaction. Throws `ledger_constraint` while the laws
   * refuse it, and then it stays. Null when no claim is there under this id: it was taken out before.
   */
  replay(id: string): Promise<SettlementOutcome | null>;
  /** Ends a claim, in one transaction: its order is refused, and its units are on their way back. An entry is forgotten. */
  drop(id: string): Promise<DropResult>;
}

export const UNREAD_REASON = 'The entry cannot be read.';

export function unreadId({ segment, id }: UnreadEntry): string {
  return `unread:${segmentName(segment)}/${id}`;
}
