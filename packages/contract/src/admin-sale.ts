/** A sale as operators create and see it. */
import Type, { type Static } from 'typebox';
import { OPERATED_SALE_PHASES } from './codes/index.ts';
import { epochMsField, limitGroupField, STORABLE, STRICT, saleIdField, unitsField } from './fields.ts';
import { itemsField, kindField, priceField } from './offer.ts';
import { SALE_FIELDS } from './sale.ts';
import { timeZoneField, zonedTimeField } from './zoned-time.ts';

const MAX_TITLE_LENGTH = 200;

/** An unpaid order that held its units for longer than this would be a sold one. */
const MAX_HOLD_MS = 30 * 24 * 60 * 60_000;

/** More would be smaller than the batches of claims that empty them. */
const MAX_SEGMENTS = 64;

/** Shorter, and the order would be due before its buyer has read of it. */
const MIN_HOLD_MS = 1_000;

const holdMs = Type.Integer({
  ...{ minimum: MIN_HOLD_MS, maximum: MAX_HOLD_MS },
  ...{ description: 'How long an unpaid order holds its units, in milliseconds.', examples: [900_000] },
});

const totalUnits = unitsField('All units of the sale.');

const segments = Type.Integer({
  ...{ minimum: 1, maximum: MAX_SEGMENTS },
  description: 'Parts that buyers and stock are divided into; fixed for the life of the sale.',
  examples: [1],
});

const title = Type.String({
  ...{ minLength: 1, maxLength: MAX_TITLE_LENGTH },
  pattern: STORABLE,
  ...{ description: 'What is sold, for people.', examples: ['Spring skins'] },
});

const AS_TEXT = 'with its offset (2026-11-01T01:30:00-04:00) or as the clocks of timeZone show it (2026-11-01T01:30).';

/** Each end is said in one of two ways. */
const WINDOW = {
  startsAtMs: Type.Optional(epochMsField('The first moment of the window.')),
  endsAtMs: Type.Optional(epochMsField('The first moment after the window; later than startsAtMs.')),
  startsAt: Type.Optional(zonedTimeField(`Instead of startsAtMs: ${AS_TEXT}`)),
  endsAt: Type.Optional(zonedTimeField(`Instead of endsAtMs: ${AS_TEXT}`)),
  timeZone: Type.Optional(timeZoneField()),
};

export const CREATE_SALE = Type.Object(
  {
    id: saleIdField(),
    title,
    kind: Type.Optional(kindField()),
    items: Type.Optional(itemsField('What one unit delivers; one item of the id of the sale when not given.')),
    price: Type.Optional(
      priceField(
        'What one unit costs. `limited_skin`: amount and currency, or none, and your back end decides; `exchange`: points; `gift_pack`: none.',
      ),
    ),
    totalUnits,
    limitUnits: unitsField(
      'Units that one buyer may have in live orders, of this sale or of all sales of limitGroup.',
      1,
    ),
    limitGroup: Type.Optional(
      limitGroupField(
        'Sales of one group share one limit for each buyer; all of them have the same. Written like the id of a sale; fixed.',
      ),
    ),
    ...WINDOW,
    holdMs,
    segments: Type.Optional(segments),
  },
  { ...STRICT, title: 'CreateSale' },
);

/** Stock is not among them: it changes by deltas, see RECEIVE_STOCK. */
export const PATCH_SALE = Type.Object(
  {
    version: Type.Integer({ minimum: 0, description: 'Of the sale as it was read.', examples: [2] }),
    title: Type.Optional(title),
    ...WINDOW,
    holdMs: Type.Optional(holdMs),
  },
  { ...STRICT, title: 'PatchSale' },
);

const deliveryId = Type.String({
  ...{ minLength: 1, maxLength: 128, pattern: '^[A-Za-z0-9._:-]+$' },
  ...{ description: "The operator's id for this delivery; told twice, it is received once.", examples: ['truck-7'] },
});

const delta = Type.Integer({
  ...{ minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER, not: { const: 0 } },
  ...{ description: 'Units that are added to the total, or, below zero, withdrawn from it.', examples: [50] },
});

export const RECEIVE_STOCK = Type.Object({ id: deliveryId, delta }, { ...STRICT, title: 'ReceiveStock' });

export const STOCK = Type.Object(
  {
    id: deliveryId,
    delta,
    repeated: Type.Boolean({ description: 'It was told before; nothing was changed now.', examples: [false] }),
    totalUnits,
  },
  { ...STRICT, title: 'Stock' },
);

export const ADMIN_SALE = Type.Object(
  {
    ...SALE_FIELDS,
    phase: Type.Enum([...OPERATED_SALE_PHASES], {
      ...{ type: 'string', examples: ['selling'] },
      description: 'What the clock says of the window; `draft` until it is published, for nothing is sold before.',
    }),
    ...{ totalUnits, holdMs, segments },
    version: Type.Integer({ minimum: 0, description: 'Rises with every change.', examples: [1] }),
    serverTimeMs: epochMsField('When this was answered.'),
  },
  { ...STRICT, title: 'AdminSale' },
);

export const ADMIN_SALE_LIST = Type.Object({ sales: Type.Array(ADMIN_SALE) }, { ...STRICT, title: 'AdminSaleList' });

export type CreateSaleRequest = Static<typeof CREATE_SALE>;
export type AdminSaleAnswer = Static<typeof ADMIN_SALE>;
export type AdminSaleListAnswer = Static<typeof ADMIN_SALE_LIST>;
