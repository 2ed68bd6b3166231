/** A sale as buyers see it. How many units there are is not theirs to know. */
import Type, { type Static } from 'typebox';
import { SALE_PHASES, SALE_STATES } from './codes/index.ts';
import { epochMsField, limitGroupField, nullable, STRICT, saleIdField, unitsField } from './fields.ts';
import { itemsField, kindField, type PriceAnswer, priceField } from './offer.ts';
import { timeZoneField, zonedTimeField } from './zoned-time.ts';

export const SALE_PARAMS = Type.Object({ saleId: saleIdField() }, STRICT);

/** Shared with the operators' view. */
export const SALE_FIELDS = {
  id: saleIdField(),
  title: Type.String({ description: 'What is sold, for people.', examples: ['Spring skins'] }),
  state: Type.Enum([...SALE_STATES], { type: 'string', description: 'Set by people.', examples: ['live'] }),
  phase: Type.Enum([...SALE_PHASES], {
    ...{ type: 'string', description: 'What the clock says of the window.', examples: ['selling'] },
  }),
  ...{ kind: kindField(), items: itemsField('What one unit delivers.') },
  price: nullable<PriceAnswer>(priceField('What one unit costs; null when nothing is asked for or known of it.')),
  startsAtMs: epochMsField('The first moment of the window.'),
  endsAtMs: epochMsField('The first moment after the window.'),
  timeZone: timeZoneField(),
  startsAt: zonedTimeField('The first moment of the window, as the clocks of that zone show it.'),
  endsAt: zonedTimeField('The first moment after it, likewise.'),
  limitUnits: unitsField(
    'Units that one buyer may have in live orders, of this sale or of all sales of limitGroup.',
    1,
  ),
  limitGroup: nullable<string>(
    limitGroupField('Sales of one group share one limit for each buyer; null: the limit is of this sale alone.'),
  ),
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
