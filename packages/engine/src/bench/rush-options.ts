/** What a rush is told, what it tells meanwhile, and what it reports. */
import type { PlacesAnswer } from '@sluice/contract';
import type { Profile } from './arrivals.ts';
import type { Violation } from './check-books.ts';
import type { Funnel } from './funnel.ts';
import type { Latencies } from './latencies.ts';
import type { LatencyKind } from './latency-kinds.ts';
import type { OwnLag } from './own-lag.ts';

export interface RushOptions {
  readonly url: string;
  /** Where operators are served; often the same. */
  readonly adminUrl: string;
  readonly adminKey: string;
  /** Signs the buyers' JWTs, as the deployment expects them. */
  readonly jwtKey: string;
  readonly buyerClaim: string;
  /** Of the JWTs; without when not given. */
  readonly issuer?: string;
  readonly audience?: string;
  readonly sale: { readonly kind: 'existing'; readonly id: string } | FreshSale;
  readonly buyers: number;
  /** Units that each purchase asks for. */
  readonly units: number;
  /** When they come: over how long, and how they are spread over it. */
  readonly overMs: number;
  readonly profile: Profile;
  /** Of profile `bots`: the share of the accounts that hammer. */
  readonly bots: number;
  /** Sockets, at most. Waiting for one is part of a buyer's latency. */
  readonly connections: number;
  /** Shares of the buyers who click twice, come again with the same token, and come with a second token. */
  readonly doubleClicks: number;
  readonly retries: number;
  readonly secondTokens: number;
  /** How long a buyer goes on asking a server that does not answer, or that says "come again". */
  readonly patienceMs: number;
  /** Without it nobody pays, and no hold is waited for. */
  readonly payments?: PaymentPlan;
  /** Chooses who does what. */
  readonly seed: number;
  readonly onProgress?: (progress: RushProgress) => void;
}

/** What becomes of orders: shares of the buyers; whoever is in none of them pays at once. */
export interface PaymentPlan {
  /** Notices are told as the operator's back end tells them. */
  readonly serverKey: string;
  readonly neverPay: number;
  /** After the order has ended. */
  readonly payLate: number;
  readonly cancel: number;
}

export interface PaymentCounts {
  readonly paid: number;
  /** Notices that were told again. */
  readonly repeated: number;
  readonly neverPaid: number;
  readonly paidLate: number;
  readonly cancelled: number;
  /** Paid late, and there was no unit left. */
  readonly refundDue: number;
  /** Orders of buyers who had been sent away at first. */
  readonly resold: number;
}

/** Created for this rush. */
export interface FreshSale {
  readonly kind: 'fresh';
  readonly stock: number;
  readonly limit: number;
  /** How long an unpaid order holds its units; 15 minutes when not given. */
  readonly holdMs?: number;
  /** As the deployment chooses when not given. */
  readonly segments?: number;
}

export interface RushProgress {
  readonly phase: 'buying' | 'waiting for holds to end' | 'buying what came back' | 'coming again' | 'reading orders';
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
  /** Goes with a token of their own, however often a click or a retry repeated them. */
  readonly attempts: number;
  /** Calls that were sent again, because the server was gone or said so. */
  readonly repeated: number;
  /** How each buyer's visit ended; by `accepted`, the reason of the refusal, `gave_up`, `unanswered` or `unexpected`. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly latencyMs: Readonly<Record<LatencyKind, Latencies>>;
  readonly lagMs: OwnLag;
  readonly funnel: Funnel;
  readonly durationMs: number;
  readonly orders: number;
  readonly units: number;
  readonly payments: PaymentCounts;
  readonly places: PlacesAnswer;
  readonly violations: readonly Violation[];
}

/** A rush that cannot begin, or cannot read the books; the message is for people. */
export class CannotRush extends Error {
  override readonly name = 'CannotRush';
}
