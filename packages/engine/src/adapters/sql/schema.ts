/**
 * The tables of the ledger, as the queries see them. The laws that they obey are in migrations/ and in each dialect's
 * triggers. Units are whole numbers up to 2^53 - 1; times are milliseconds since 1970; ids are compared byte by byte.
 */

import type { Generated, Kysely, Transaction } from 'kysely';
import type { Account, EntryCause } from '../../domain/ledger/entry.ts';
import type { ReleaseDestination } from '../../domain/ledger/release.ts';
import type { ChargeState } from '../../domain/order/charge.ts';
import type { OrderState, RefusalCause } from '../../domain/order/order.ts';
import type { OrderEventType } from '../../domain/order/order-event.ts';
import type { PaymentOutcome, PaymentState } from '../../domain/order/payment.ts';
import type { StoredEvent } from '../../domain/outbox/outbox-event.ts';
import type { SaleKind } from '../../domain/sale/offer.ts';
import type { SaleState } from '../../domain/sale/sale.ts';
import type { SaleEventType } from '../../domain/sale/sale-event.ts';

export interface SaleTable {
  readonly id: string;
  readonly title: string;
  readonly total_units: number;
  readonly free_units: number;
  readonly allotted_units: number;
  readonly limit_units: number;
  readonly starts_at_ms: number;
  readonly ends_at_ms: number;
  readonly hold_ms: number;
  readonly state: SaleState;
  readonly version: number;
  readonly kind: SaleKind;
  /** JSON; null: one item of the sale's own id. */
  readonly items: string | null;
  /** Of one unit: an amount with its currency, or points, or nothing. */
  readonly price_amount: number | null;
  readonly price_currency: string | null;
  readonly price_points: number | null;
  readonly time_zone: string;
  /** Rises whenever units become free. */
  readonly generation: number;
  readonly segments: number;
  /** Null: the limit is the sale's own. */
  readonly limit_group: string | null;
  /** 1: it was told and has not ended since. */
  readonly is_told_sold_out: number;
  readonly is_told_unbalanced: number;
}

/** What the sales of a limit scope have in common: one sale, or those of a group. */
export interface LimitScopeTable {
  readonly name: string;
  readonly limit_units: number;
  readonly segment_count: number;
  readonly sale_count: number;
}

export interface SegmentColumns {
  readonly sale_id: string;
  readonly region: string;
  readonly segment: number;
}

export interface QuotaColumns extends SegmentColumns {
  readonly channel: string;
}

export interface SegmentTable extends SegmentColumns {
  readonly epoch: number;
  readonly settled_epoch: number;
  readonly settled_seq: number;
}

export interface CutTable extends SegmentColumns {
  readonly epoch: number;
  readonly through_epoch: number;
  readonly through_seq: number;
}

export interface QuotaTable extends QuotaColumns {
  readonly allotted_units: number;
  readonly held_units: number;
  readonly sold_units: number;
  readonly quarantined_units: number;
}

export interface BuyerTable {
  readonly limit_scope: string;
  readonly buyer_id: string;
  readonly limit_units: number;
  /** In live orders of all sales of the scope. */
  readonly units: number;
}

/** A claim: an order id, and the origin that makes it this claim and no other. */
export interface ClaimColumns extends QuotaColumns {
  readonly order_id: string;
  readonly buyer_id: string;
  readonly units: number;
  readonly epoch: number;
  readonly seq: number;
}

export interface OrderTable extends ClaimColumns {
  readonly state: OrderState;
  readonly refusal: RefusalCause | null;
  readonly settled_at_ms: number;
  readonly due_at_ms: number | null;
}

export interface MoveTable extends QuotaColumns {
  readonly id: string;
  readonly units: number;
  readonly epoch: number;
  /** `absorbed`: a rebuild has loaded its units. */
  readonly state: 'issued' | 'applied' | 'absorbed';
}

export interface ReleaseTable extends ClaimColumns {
  readonly id: string;
  /** The segment's epoch when the row was written; `epoch` is the claim's. */
  readonly release_epoch: number;
  readonly state: 'open' | 'delivered' | 'absorbed';
  readonly destination: ReleaseDestination;
}

export interface ReturnTable extends QuotaColumns {
  readonly id: string;
  /** Null: all there are. */
  readonly wanted_units: number | null;
  readonly epoch: number;
  /** `void`: a rebuild has loaded what it may have debited. */
  readonly state: 'issued' | 'finished' | 'void';
  /** What the gate had of them; null until it is finished. */
  readonly units: number | null;
  /** The segment that they go on to; null: the centre keeps them. */
  readonly onward_to: number | null;
}

export interface WithdrawalTable {
  readonly id: string;
  readonly sale_id: string;
  readonly delivery: string;
  readonly units: number;
  readonly state: 'open' | 'withdrawn' | 'refused';
}

export interface QuarantineTable {
  readonly id: string;
  readonly sale_id: string;
  /** The claim as JSON: what cannot be settled may hold anything. */
  readonly claim: string;
  /** Of the claim's units, those that were set aside: all or none. */
  readonly quarantined_units: number;
  readonly reason: string;
}

export interface JournalTable {
  readonly id: Generated<number>;
  readonly sale_id: string;
  readonly region: string | null;
  readonly segment: number | null;
  readonly channel: string | null;
  readonly from_account: Account;
  readonly to_account: Account;
  readonly units: number;
  readonly cause: EntryCause;
  readonly cause_id: string;
}

export interface OrderEventTable {
  readonly id: Generated<number>;
  readonly order_id: string;
  readonly sale_id: string;
  readonly buyer_id: string;
  readonly type: OrderEventType;
  readonly units: number;
  readonly state: OrderState;
  readonly at_ms: number;
  /** Of the payment that it is about. */
  readonly reference: string | null;
  readonly amount: number | null;
  /** When its deliveries were written; null: not yet. */
  readonly handed_out_at_ms: Generated<number | null>;
}

export interface SaleEventTable {
  readonly id: Generated<number>;
  readonly sale_id: string;
  readonly type: SaleEventType;
  readonly state: SaleState;
  readonly total_units: number;
  readonly surplus_units: number | null;
  readonly at_ms: number;
  readonly handed_out_at_ms: Generated<number | null>;
}

export interface WebhookEndpointTable {
  readonly id: string;
  readonly url: string;
  /** JSON; null: all. */
  readonly event_types: string | null;
  readonly secret: string;
  readonly old_secret: string | null;
  readonly old_until_ms: number | null;
  readonly created_at_ms: number;
}

/** What is delivered has no row any more. */
export interface WebhookDeliveryTable {
  readonly id: Generated<number>;
  readonly endpoint_id: string;
  /** The id of the order or the sale. */
  readonly subject: string;
  readonly source: StoredEvent['kind'];
  /** Of the event's row. */
  readonly event_number: number;
  readonly state: 'pending' | 'dead';
  readonly failures: number;
  readonly created_at_ms: number;
  /** When it may be tried, or tried again because its claim has died; of a dead one, when it died. */
  readonly next_at_ms: number;
  readonly claim_id: string | null;
  readonly error: string | null;
}

export interface PaymentTable {
  /** In the order in which they were first heard of. */
  readonly id: Generated<number>;
  readonly reference: string;
  readonly outcome: PaymentOutcome;
  readonly order_id: string;
  readonly amount: number | null;
  readonly state: PaymentState;
}

/** The points of an order, one row each. */
export interface ChargeTable {
  readonly order_id: string;
  readonly points: number;
  readonly state: ChargeState;
}

/** A wish to cancel an order that is not settled yet. */
export interface ParkedCancelTable {
  readonly order_id: string;
  /** Null: the operator's. */
  readonly buyer_id: string | null;
}

/** Stock received, by the operator's id for the delivery. */
export interface DeliveryTable {
  readonly sale_id: string;
  readonly id: string;
  readonly units: number;
}

/** What one process at a time may do. */
export interface LeaseTable {
  readonly name: string;
  readonly holder: string;
  readonly expires_at_ms: number;
}

/** A call with an idempotency key. The last four are null while it is in hand. */
export interface IdempotencyKeyTable {
  /** Scope and key. */
  readonly id: string;
  readonly scope: string;
  readonly fingerprint: string;
  readonly holder: string;
  readonly reserved_at_ms: number;
  readonly status: number | null;
  readonly media_type: string | null;
  readonly language: string | null;
  readonly body: string | null;
}

interface LedgerIdentityTable {
  readonly name: string;
  readonly id: string;
}

export interface LedgerTables {
  readonly sales: SaleTable;
  readonly segments: SegmentTable;
  readonly cuts: CutTable;
  readonly quotas: QuotaTable;
  readonly limit_scopes: LimitScopeTable;
  readonly buyers: BuyerTable;
  readonly orders: OrderTable;
  readonly moves: MoveTable;
  readonly releases: ReleaseTable;
  readonly returns: ReturnTable;
  readonly withdrawals: WithdrawalTable;
  readonly quarantine: QuarantineTable;
  readonly journal: JournalTable;
  readonly deliveries: DeliveryTable;
  readonly order_events: OrderEventTable;
  readonly sale_events: SaleEventTable;
  readonly webhook_endpoints: WebhookEndpointTable;
  readonly webhook_deliveries: WebhookDeliveryTable;
  readonly payments: PaymentTable;
  readonly charges: ChargeTable;
  readonly parked_cancels: ParkedCancelTable;
  readonly leases: LeaseTable;
  readonly ledger_identity: LedgerIdentityTable;
  readonly idempotency_keys: IdempotencyKeyTable;
}

export type LedgerDatabase = Kysely<LedgerTables>;
export type LedgerTransaction = Transaction<LedgerTables>;
