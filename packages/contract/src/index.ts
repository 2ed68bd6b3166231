/** The words on the wire: the schema of every request and answer, and their types. */
export {
  ADMIN_SALE,
  ADMIN_SALE_LIST,
  type AdminSaleAnswer,
  CREATE_SALE,
  type CreateSaleRequest,
  PATCH_SALE,
  RECEIVE_STOCK,
  STOCK,
} from './admin-sale.ts';
export { DEV_IDENTITY, DEV_IDENTITY_REQUEST } from './dev-identity.ts';
export { NO_CONTENT } from './fields.ts';
export { HEALTH } from './health.ts';
export { ORDER, ORDER_PARAMS, type OrderAnswer } from './order.ts';
export { PLACES_READING, type PlacesAnswer } from './places.ts';
export { PROBLEM, PROBLEM_MEDIA_TYPE, type Problem, problemType } from './problem.ts';
export { PURCHASE, PURCHASE_ACCEPTED, type PurchaseAnswer, type PurchaseRequestBody } from './purchase.ts';
export { SALE, SALE_LIST, SALE_PARAMS, type SaleAnswer, type SaleListAnswer } from './sale.ts';
export { TOKEN, type TokenAnswer } from './token.ts';
