/** Who buys, as their operator's identity says; never taken from the body of a request. */
import type { BuyerId } from './ids.ts';

export interface Buyer {
  readonly buyerId: BuyerId;
  /** The region and the channel that the buyer buys in. */
  readonly region: string;
  readonly channel: string;
}
