/** What can happen to an order, as its history tells it. */
export const ORDER_EVENT_TYPES = [
  'order.settled',
  'order.refused',
  'order.paid',
  /** The wallet took no points for it; it is cancelled. */
  'order.charge_refused',
  'order.fulfilled',
  'order.cancelled',
  'order.expired',
  /** Money was taken for which there is nothing, or no more: give it back. */
  'order.refund_due',
  'order.refunded',
] as const;

export type OrderEventType = (typeof ORDER_EVENT_TYPES)[number];
