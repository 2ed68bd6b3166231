/** What a rush is told, what it tells meanwhile, and what it reports. */
import type { PlacesAnswer } from '@sluice/contract';
import type { Violation } from './check-books.ts';
import type { Latencies } from './latencies.ts';

export interface RushOptions {
  readonly url: string;
  /** Where operators are served; often the same. */
  readonly adminUrl: string;
  readonly adminKey: string;
  /** Signs the buyers' JWTs, as the deployment expects them. */
  readonly jwtKey: string;
  readonly buyerClaim: string;
  readonly sale: { readonly kind: 'existing'; readonly id: string } | FreshSale;
  readonly buyers: number;
  /** Units that each purchase asks for. */
  readonly units: number;
  /** Buyers at the same time. */
  readonly concurrency: number;
  /** Shares of the buyers who click twice, come again with the same token, and come with a second token. */
  readonly doubleClicks: number;
  readonly retries: number;
  readonly secondTokens: number;
  /** How long a buyer goes on asking a server that does not answer, or that says "come again". */
  readonly patienceMs: number;
  /** Chooses who does what. */
  readonly seed: number;
  readonly onProgress?: (progress: RushProgress) => void;
}

/** Created for this rush. */
export interface FreshSale {
  readonly kind: 'fresh';
  readonly stock: number;
  readonly limit: number;
}

export interface RushProgress {
  readonly phase: 'buying' | 'coming again' | 'reading orders';
  readonly done: number;
  readonly total: number;
  /** Attempts that were accepted. */
  readonly accepted: number;
  /** Calls that were repeated, because the server was gone or said so. */
  readonly repeated: number;
}

export interface RushReport {
  readonly sale: string;
  readonly seed: number;
  readonly buyers: number;
  /** Purchase calls that were answered. */
  readonly attempts: number;
  readonly repeated: number;
  /** How each buyer's visit ended; by `accepted`, the reason of the refusal, `unanswered` or `unexpected`. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** Of purchase calls, those that had no answer left out. */
  readonly latencyMs: Latencies;
  /** How late this client itself was (99th percentile): latencies near it are its own. */
  readonly ownLagMs: number;
  readonly durationMs: number;
  readonly orders: number;
  readonly units: number;
  readonly places: PlacesAnswer;
  readonly violations: readonly Violation[];
}

/** A rush that cannot begin, or cannot read the books; the message is for people. */
export class CannotRush extends Error {
  override readonly name = 'CannotRush';
}
