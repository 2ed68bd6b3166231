/** The states of an order, in the order of its life. The edges between them live in the engine's domain/order. */
export const ORDER_STATES = [
  'queued',
  'pending',
  'paid',
  'fulfilled',
  'cancelled',
  'expired',
  'refused',
  'lost',
  'paid_unfulfilled',
  'refunded',
] as const;

export type OrderState = (typeof ORDER_STATES)[number];

/** Why the ledger refused an order that a gate had accepted. */
export const REFUSAL_CAUSES = ['over_limit', 'no_units', 'stale_epoch', 'sale_ended', 'dropped'] as const;

export type RefusalCause = (typeof REFUSAL_CAUSES)[number];
