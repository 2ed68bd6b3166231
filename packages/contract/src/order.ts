/** An order as its buyer sees it. Who bought it is left out, because only they can read it. */
import Type, { type Static } from 'typebox';
import { REFUSAL_CAUSES, type RefusalCause } from './codes/index.ts';
import {
  epochMsField,
  noneOr,
  nullable,
  orderIdField,
  orderStatusField,
  STRICT,
  saleIdField,
  unitsField,
} from './fields.ts';
import { itemsField, kindField, type PriceAnswer, priceField } from './offer.ts';
import { nextField, PAGE_FIELDS } from './page.ts';

/** With the longest ids; what signs them looks at no longer text. */
const MAX_RECEIPT_LENGTH = 4_096;

export const ORDER_PARAMS = Type.Object({ orderId: orderIdField() }, STRICT);

/** Shared with the operators' view. */
export const ORDER_FIELDS = {
  orderId: orderIdField(),
  saleId: saleIdField(),
  units: unitsField('Units of the order.', 1),
  status: orderStatusField('Where it is in its life.'),
  refusal: nullable<RefusalCause>(
    Type.String({
      enum: [...REFUSAL_CAUSES, null],
      ...{ description: 'Why the ledger refused it; null unless `refused`.', examples: [null] },
    }),
  ),
  settledAtMs: nullable<number>(epochMsField('When it came into the ledger; null while it is `queued`.')),
  ...{ kind: kindField(), items: itemsField('What it delivers, all units together.') },
  cost: nullable<PriceAnswer>(
    priceField('What it costs, all units together; null when nothing is asked for or known.'),
  ),
  dueAtMs: nullable<number>(epochMsField('When an unpaid order may be ended; null when it holds nothing.')),
};

export const ORDER = Type.Object(ORDER_FIELDS, { ...STRICT, title: 'Order' });

function receiptField() {
  return Type.String({
    maxLength: MAX_RECEIPT_LENGTH,
    description: 'Of a purchase that was answered `queued`: proof that its order was on its way.',
    examples: ['k1.MjY6aG9tZS8wLzE.kQ0uWc1y0l8yXxqg5F7sC3mQ2oXv9b4T1nZ6rH0dEwE'],
  });
}

export const SHOW_ORDER = Type.Object({ receipt: Type.Optional(receiptField()) }, STRICT);

export const LIST_ORDERS = Type.Object({ ...PAGE_FIELDS }, STRICT);

export const ORDER_PAGE = Type.Object(
  { orders: Type.Array(ORDER), next: nextField() },
  { ...STRICT, title: 'OrderPage' },
);

export const CANCEL_ORDER = noneOr(
  Type.Object(
    {
      receipt: Type.Optional(receiptField()),
    },
    { ...STRICT, title: 'CancelOrder', description: 'No content, or the receipt.' },
  ),
);

export const CANCEL_WAITS = Type.Object(
  {
    orderId: orderIdField(),
    status: Type.Enum(['queued'], {
      ...{ type: 'string', description: 'Not in the ledger yet; it is cancelled when it gets there.' },
      examples: ['queued'],
    }),
  },
  { ...STRICT, title: 'CancelWaits' },
);

export const ORDER_FULFILLED = Type.Object(
  {
    orderId: orderIdField(),
    status: orderStatusField('Always `fulfilled`.'),
    repeated: Type.Boolean({ description: 'It was known already; nothing changed.', examples: [false] }),
  },
  { ...STRICT, title: 'OrderFulfilled' },
);

export type OrderFulfilledAnswer = Static<typeof ORDER_FULFILLED>;
export type OrderAnswer = Static<typeof ORDER>;
export type OrderPageAnswer = Static<typeof ORDER_PAGE>;
export type ListOrdersQuery = Static<typeof LIST_ORDERS>;
