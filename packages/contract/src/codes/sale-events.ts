/** What is told of a sale. */
export const SALE_EVENT_TYPES = [
  'sale.published',
  /** Every unit is paid. */
  'sale.sold_out',
  'sale.closed',
  /** Its places do not sum to its total: a person must look. */
  'inventory.unbalanced',
] as const;

export type SaleEventType = (typeof SALE_EVENT_TYPES)[number];
