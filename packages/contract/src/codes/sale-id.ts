/** Ids of sales: small letters, digits and dashes, at most 64, the first no dash. */
export const SALE_ID_PATTERN = '^[a-z0-9][a-z0-9-]{0,63}$';
