/** Purchases that a back end makes for its buyers, many in one request. No token: the request's id names the order. */
import Type, { type Static } from 'typebox';
import { REASONS, type Reason } from './codes/index.ts';
import {
  buyerField,
  epochMsField,
  nullable,
  orderIdField,
  orderStatusField,
  STORABLE,
  STRICT,
  saleIdField,
  unitsField,
} from './fields.ts';

/** As many as the gate judges in a few calls; more would only wait. */
const MAX_ITEMS = 1_000;
const MAX_REQUEST_ID_LENGTH = 128;

const ITEM = Type.Object(
  {
    saleId: saleIdField(),
    buyer: buyerField(),
    requestId: Type.String({
      ...{ minLength: 1, maxLength: MAX_REQUEST_ID_LENGTH, pattern: STORABLE },
      description: 'Yours: the same sale, buyer and request id are the same order, however often they come.',
      examples: ['cart-4711'],
    }),
    units: unitsField('Units wanted.', 1),
  },
  { ...STRICT, title: 'BulkPurchase' },
);

export const BULK_PURCHASES = Type.Object(
  { items: Type.Array(ITEM, { minItems: 1, maxItems: MAX_ITEMS }) },
  { ...STRICT, title: 'BulkPurchases' },
);

const OUTCOME = Type.Object(
  {
    outcome: Type.Enum(['accepted', 'refused'], {
      ...{
        type: 'string',
        description: 'Accepted ones have status, units, replayed and receipt; refused ones a reason.',
      },
      examples: ['accepted'],
    }),
    orderId: orderIdField(),
    status: Type.Optional(orderStatusField('`queued`: taken, and on its way into the ledger.')),
    units: Type.Optional(unitsField('Units of the order.', 1)),
    replayed: Type.Optional(Type.Boolean({ description: 'It had been accepted before; nothing more was taken.' })),
    receipt: Type.Optional(
      nullable<string>(
        Type.String({ description: 'Proof that the units were taken. Null when that is not known yet.' }),
      ),
    ),
    reason: Type.Optional(
      Type.Enum(Object.keys(REASONS) as Reason[], {
        ...{ type: 'string', description: 'What to act on.', examples: ['sold_out'] },
      }),
    ),
    retryAtMs: Type.Optional(epochMsField('When it is worth coming again.')),
    retryAfterMs: Type.Optional(Type.Integer({ minimum: 0, description: 'Or how long to wait.', examples: [1_000] })),
    liveOrderIds: Type.Optional(Type.Array(orderIdField(), { description: 'With `over_limit`.' })),
    left: Type.Optional(unitsField('With `not_enough_left`: units that are left.')),
  },
  { ...STRICT, title: 'BulkOutcome' },
);

export const BULK_OUTCOMES = Type.Object(
  { outcomes: Type.Array(OUTCOME, { description: 'One for each item, in their order.' }) },
  { ...STRICT, title: 'BulkOutcomes' },
);

export type BulkOutcome = Static<typeof OUTCOME>;
