/** What a back end can say of money, and what became of it. What each of them does to an order lives in the engine's domain. */
export const PAYMENT_OUTCOMES = ['paid', 'failed', 'refunded'] as const;

export type PaymentOutcome = (typeof PAYMENT_OUTCOMES)[number];

export const PAYMENT_STATES = [
  /** It has had its effect. */
  'applied',
  /** The order cannot take it yet (it is not settled, or not paid); it will. */
  'parked',
  /** Late money: its order had ended, and units are being claimed for it again. */
  'reclaiming',
  /** Money for which there is nothing: give it back. */
  'refund_due',
] as const;

export type PaymentState = (typeof PAYMENT_STATES)[number];
