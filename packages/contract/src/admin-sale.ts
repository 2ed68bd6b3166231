/** A sale as operators create and see it. */
import Type, { type Static } from 'typebox';
import { epochMsField, STORABLE, STRICT, saleIdField, unitsField } from './fields.ts';
import { SALE_FIELDS } from './sale.ts';

const MAX_TITLE_LENGTH = 200;

/** An unpaid order that held its units for longer than this would be a sold one. */
const MAX_HOLD_MS = 30 * 24 * 60 * 60_000;

/** Shorter, and the order would be due before its buyer has read of it. */
const MIN_HOLD_MS = 1_000;

const holdMs = Type.Integer({
  ...{ minimum: MIN_HOLD_MS, maximum: MAX_HOLD_MS },
  ...{ description: 'How long an unpaid order holds its units, in milliseconds.', examples: [900_000] },
});

const totalUnits = unitsField('All units of the sale.');

export const CREATE_SALE = Type.Object(
  {
    id: saleIdField(),
    title: Type.String({
      ...{ minLength: 1, maxLength: MAX_TITLE_LENGTH },
      pattern: STORABLE,
      ...{ description: 'What is sold, for people.', examples: ['Spring skins'] },
    }),
    totalUnits,
    limitUnits: unitsField('Units that one buyer may have in live orders.', 1),
    startsAtMs: epochMsField('The first moment of the window.'),
    endsAtMs: epochMsField('The first moment after the window; later than startsAtMs.'),
    holdMs,
  },
  { ...STRICT, title: 'CreateSale' },
);

export const ADMIN_SALE = Type.Object(
  {
    ...SALE_FIELDS,
    ...{ totalUnits, holdMs },
    version: Type.Integer({ minimum: 0, description: 'Rises with every change.', examples: [1] }),
    serverTimeMs: epochMsField('When this was answered.'),
  },
  { ...STRICT, title: 'AdminSale' },
);

export const ADMIN_SALE_LIST = Type.Object({ sales: Type.Array(ADMIN_SALE) }, { ...STRICT, title: 'AdminSaleList' });

export type CreateSaleRequest = Static<typeof CREATE_SALE>;
export type AdminSaleAnswer = Static<typeof ADMIN_SALE>;
export type AdminSaleListAnswer = Static<typeof ADMIN_SALE_LIST>;
