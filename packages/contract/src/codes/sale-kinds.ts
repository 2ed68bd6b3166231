/** What is done with the units of a sale; fixed when it is created. */
export const SALE_KINDS = [
  /** Sold for money, which the operator's back end takes. */
  'limited_skin',
  /** Given away: nothing is paid. */
  'gift_pack',
  /** Sold for points, which a wallet takes. */
  'exchange',
] as const;

export type SaleKind = (typeof SALE_KINDS)[number];
