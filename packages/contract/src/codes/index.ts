/**
 * The closed lists of Sluice: reasons, states, places. No dependency, so that a page can carry them for nothing, and the
 * one home of each list: the engine's domain gives them their rules, the contract puts them on the wire.
 */
export { EVENT_TYPES, type EventType } from './event-types.ts';
export { ORDER_EVENT_TYPES, type OrderEventType } from './order-events.ts';
export { ORDER_STATES, type OrderState, REFUSAL_CAUSES, type RefusalCause } from './order-states.ts';
export { PAYMENT_OUTCOMES, PAYMENT_STATES, type PaymentOutcome, type PaymentState } from './payments.ts';
export { PLACES, type PlaceName } from './places.ts';
export { REASONS, type Reason, type ReasonEntry, type Retry } from './reasons.ts';
export { SALE_EVENT_TYPES, type SaleEventType } from './sale-events.ts';
export { SALE_ID_PATTERN } from './sale-id.ts';
export { SALE_KINDS, type SaleKind } from './sale-kinds.ts';
export { OPERATED_SALE_PHASES, SALE_PHASES, SALE_STATES, type SalePhase, type SaleState } from './sale-states.ts';
