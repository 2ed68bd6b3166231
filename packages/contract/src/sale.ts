/** A sale as buyers see it. How many units there are is not theirs to know. */
import Type, { type Static } from 'typebox';
import { SALE_PHASES, SALE_STATES } from './codes/index.ts';
import { epochMsField, STRICT, saleIdField, unitsField } from './fields.ts';

export const SALE_PARAMS = Type.Object({ saleId: saleIdField() }, STRICT);

/** Shared with the operators' view. */
export const SALE_FIELDS = {
  id: saleIdField(),
  title: Type.String({ description: 'What is sold, for people.', examples: ['Spring skins'] }),
  state: Type.Enum([...SALE_STATES], { type: 'string', description: 'Set by people.', examples: ['live'] }),
  phase: Type.Enum([...SALE_PHASES], {
    ...{ type: 'string', description: 'What the clock says of the window.', examples: ['selling'] },
  }),
  startsAtMs: epochMsField('The first moment of the window.'),
  endsAtMs: epochMsField('The first moment after the window.'),
  limitUnits: unitsField('Units that one buyer may have in live orders.', 1),
};

const LISTED_SALE_FIELDS = {
  ...SALE_FIELDS,
  serverTimeMs: epochMsField('When this was answered, by the clock that decides; count down by it, not by your own.'),
};

const LISTED_SALE = Type.Object(LISTED_SALE_FIELDS, { ...STRICT, title: 'ListedSale' });

export const SALE = Type.Object(
  {
    ...LISTED_SALE_FIELDS,
    unitsLeft: Type.Boolean({
      description: 'False when none can be had now; those that others hold unpaid may come back. A second old at most.',
      examples: [true],
    }),
  },
  { ...STRICT, title: 'Sale' },
);

export const SALE_LIST = Type.Object({ sales: Type.Array(LISTED_SALE) }, { ...STRICT, title: 'SaleList' });

export type ListedSaleAnswer = Static<typeof LISTED_SALE>;
export type SaleListAnswer = Static<typeof SALE_LIST>;
