/** The words on the wire: the schema of every request and answer, and their types. */
export {
  ADMIN_LIST_ORDERS,
  ADMIN_ORDER,
  ADMIN_ORDER_DETAILS,
  ADMIN_ORDER_PAGE,
  type AdminOrderAnswer,
  type AdminOrderDetails,
} from './admin-order.ts';
export {
  ADMIN_SALE,
  ADMIN_SALE_LIST,
  type AdminSaleAnswer,
  type AdminSaleListAnswer,
  CREATE_SALE,
  type CreateSaleRequest,
  PATCH_SALE,
  RECEIVE_STOCK,
  STOCK,
} from './admin-sale.ts';
export { BULK_OUTCOMES, BULK_PURCHASES, type BulkOutcome } from './bulk-purchase.ts';
export { DEV_IDENTITY, DEV_IDENTITY_REQUEST } from './dev-identity.ts';
export { ORDER_EVENT_MESSAGE, SALE_EVENT_MESSAGE } from './event.ts';
export { IDEMPOTENCY_KEY, NO_CONTENT } from './fields.ts';
export { HEALTH, READINESS, type ReadinessAnswer } from './health.ts';
export type { ItemAnswer, PriceAnswer } from './offer.ts';
export {
  CANCEL_ORDER,
  CANCEL_WAITS,
  LIST_ORDERS,
  type ListOrdersQuery,
  ORDER,
  ORDER_FULFILLED,
  ORDER_PAGE,
  ORDER_PARAMS,
  type OrderAnswer,
  type OrderFulfilledAnswer,
  type OrderPageAnswer,
  SHOW_ORDER,
} from './order.ts';
export { PAYMENT_NOTED, PAYMENT_NOTICE, type PaymentNotedAnswer, type PaymentNoticeRequest } from './payment.ts';
export { PLACES_READING, type PlacesAnswer } from './places.ts';
export { PROBLEM, PROBLEM_MEDIA_TYPE, type Problem, problemType } from './problem.ts';
export { PURCHASE, PURCHASE_ACCEPTED, type PurchaseAnswer, type PurchaseRequestBody } from './purchase.ts';
export {
  LIST_QUARANTINE,
  QUARANTINE_PAGE,
  type QuarantinePageAnswer,
  TAKE_OUT,
  TAKEN_OUT,
  type TakenOutAnswer,
} from './quarantine.ts';
export { type ListedSaleAnswer, SALE, SALE_LIST, SALE_PARAMS, type SaleListAnswer } from './sale.ts';
export { TOKEN, type TokenAnswer } from './token.ts';
export {
  ADD_WEBHOOK,
  type AddWebhookRequest,
  DEAD_LETTER_PAGE,
  type DeadLetterPageAnswer,
  LIST_DEAD_LETTERS,
  REPLAY,
  REPLAYED,
  type ReplayedAnswer,
  ROTATE_SECRET,
  SECRET_ROTATED,
  type SecretRotatedAnswer,
  WEBHOOK_ADDED,
  WEBHOOK_LIST,
  WEBHOOK_PARAMS,
  WEBHOOK_REMOVED,
  WEBHOOK_TESTED,
  type WebhookAddedAnswer,
  type WebhookListAnswer,
  type WebhookTestedAnswer,
} from './webhook.ts';
