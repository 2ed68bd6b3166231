/**
 * Every figure that a deployment tells Prometheus, once: its name, kind, labels, unit and meaning. Labels come from closed
 * lists, so the number of lines is bounded.
 */

export interface Figure {
  readonly name: string;
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly string[];
  readonly unit: string;
  readonly help: string;
  /** Upper bounds of a histogram's buckets. */
  readonly buckets?: readonly number[];
}

/** Claims in one call or group: powers of two, up to the most that one may carry. */
const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

export const FIGURES = {
  turnedAway: {
    ...{ name: 'sluice_turned_away_total', kind: 'counter', labels: ['stage', 'reason'], unit: 'calls' },
    help: 'Tries and calls turned away, by stage and reason.',
  },
  claims: {
    ...{ name: 'sluice_claims_total', kind: 'counter', labels: ['outcome'], unit: 'claims' },
    help: 'Claims judged by the gate, by what came of them.',
  },
  settlements: {
    ...{ name: 'sluice_settlements_total', kind: 'counter', labels: ['outcome'], unit: 'claims' },
    help: 'Claims brought to the ledger, by what came of them.',
  },
  settlementFailures: {
    ...{ name: 'sluice_settlement_failures_total', kind: 'counter', labels: ['code'], unit: 'groups' },
    help: 'Groups that met a fault, by code; they are tried again.',
  },
  orders: {
    ...{ name: 'sluice_orders_total', kind: 'counter', labels: ['state'], unit: 'orders' },
    help: 'Orders that came into a state, as told to their watchers.',
  },
  walletCalls: {
    ...{ name: 'sluice_wallet_calls_total', kind: 'counter', labels: ['outcome'], unit: 'calls' },
    help: 'Calls to the wallet, by what came of them.',
  },
  webhookDeliveries: {
    ...{ name: 'sluice_webhook_deliveries_total', kind: 'counter', labels: ['result'], unit: 'tries' },
    help: 'Tries to deliver an event to an endpoint, by how they went.',
  },
  batchSize: {
    ...{ name: 'sluice_gate_batch_claims', kind: 'histogram', labels: [], unit: 'claims', buckets: SIZES },
    help: 'Claims in one call to the gate.',
  },
  groupSize: {
    ...{ name: 'sluice_settlement_group_claims', kind: 'histogram', labels: [], unit: 'claims', buckets: SIZES },
    help: 'Claims in one settlement.',
  },
  settlementDuration: {
    ...{ name: 'sluice_settlement_duration_seconds', kind: 'histogram', labels: [], unit: 'seconds', buckets: SECONDS },
    help: 'What one settlement took.',
  },
  settlementRest: {
    ...{ name: 'sluice_settlement_rest_seconds', kind: 'histogram', labels: [], unit: 'seconds', buckets: SECONDS },
    help: 'How long settlement rested before a group, to stay below its ceiling.',
  },
  settlementCeiling: {
    ...{ name: 'sluice_settlement_ceiling', kind: 'gauge', labels: ['of'], unit: 'a second' },
    help: 'Orders and transactions a second that settlement may bring to the ledger now; 0: as many as it takes.',
  },
  settlementGroupLimit: {
    ...{ name: 'sluice_settlement_group_limit', kind: 'gauge', labels: [], unit: 'claims' },
    help: 'The most claims that the next settlement may have.',
  },
  breakerState: {
    ...{ name: 'sluice_breaker_state', kind: 'gauge', labels: ['breaker', 'state'], unit: '0 or 1' },
    help: '1 for the state that a breaker is in.',
  },
  purchasesInFlight: {
    ...{ name: 'sluice_purchases_in_flight', kind: 'gauge', labels: [], unit: 'purchases' },
    help: 'Purchases in hand.',
  },
  queueClaims: {
    ...{ name: 'sluice_queue_claims', kind: 'gauge', labels: [], unit: 'claims' },
    help: 'Claims that wait to be settled.',
  },
  queueOldestAge: {
    ...{ name: 'sluice_queue_oldest_age_seconds', kind: 'gauge', labels: [], unit: 'seconds' },
    help: 'How long the oldest has waited.',
  },
  outboxEvents: {
    ...{ name: 'sluice_outbox_events', kind: 'gauge', labels: [], unit: 'events' },
    help: 'Events in the ledger that were not handed out to endpoints yet.',
  },
  outboxDeliveries: {
    ...{ name: 'sluice_outbox_deliveries', kind: 'gauge', labels: [], unit: 'deliveries' },
    help: 'Deliveries to endpoints that are still to be made.',
  },
  outboxOldestAge: {
    ...{ name: 'sluice_outbox_oldest_age_seconds', kind: 'gauge', labels: [], unit: 'seconds' },
    help: 'How long the oldest of both has waited.',
  },
  deadLetters: {
    ...{ name: 'sluice_webhook_dead_letters', kind: 'gauge', labels: [], unit: 'deliveries' },
    help: 'Deliveries that were given up and wait for a person.',
  },
  limiterKeys: {
    ...{ name: 'sluice_limiter_keys', kind: 'gauge', labels: ['limit'], unit: 'keys' },
    help: 'Keys that a rate limit remembers.',
  },
  eventLoopLag: {
    ...{ name: 'sluice_event_loop_lag_seconds', kind: 'gauge', labels: [], unit: 'seconds' },
    help: 'How late the event loop is, smoothed.',
  },
  residentMemory: {
    ...{ name: 'process_resident_memory_bytes', kind: 'gauge', labels: [], unit: 'bytes' },
    help: 'Memory of the process.',
  },
  heapUsed: {
    ...{ name: 'nodejs_heap_size_used_bytes', kind: 'gauge', labels: [], unit: 'bytes' },
    help: 'Of it, used by objects.',
  },
  externalMemory: {
    ...{ name: 'nodejs_external_memory_bytes', kind: 'gauge', labels: [], unit: 'bytes' },
    help: 'And by buffers outside the heap.',
  },
} as const satisfies Readonly<Record<string, Figure>>;
