/** An order as operators see it. */
import Type, { type Static } from 'typebox';
import { ORDER_EVENT_TYPES } from './codes/index.ts';
import { buyerField, epochMsField, orderStatusField, STRICT } from './fields.ts';
import { ORDER_FIELDS } from './order.ts';
import { nextField, PAGE_FIELDS } from './page.ts';
import { ORDER_PAYMENT } from './payment.ts';

const ADMIN_ORDER_FIELDS = {
  ...ORDER_FIELDS,
  settledAtMs: epochMsField('When it came into the ledger.'),
  buyer: buyerField(),
  region: Type.String({ description: 'Whose gate sold it.', examples: ['home'] }),
  channel: Type.String({ description: 'Through which entrance.', examples: ['main'] }),
};

export const ADMIN_ORDER = Type.Object(ADMIN_ORDER_FIELDS, { ...STRICT, title: 'AdminOrder' });

export const ADMIN_LIST_ORDERS = Type.Object(
  {
    ...PAGE_FIELDS,
    state: Type.Optional(orderStatusField('Only orders in this state.')),
    buyer: Type.Optional(buyerField()),
    format: Type.Optional(
      Type.Enum(['json', 'csv', 'ndjson'], {
        ...{
          type: 'string',
          description: 'Before Accept. `json` is one page; the others are all of them, as a stream.',
        },
        examples: ['csv'],
      }),
    ),
  },
  STRICT,
);

export const ADMIN_ORDER_PAGE = Type.Object(
  { orders: Type.Array(ADMIN_ORDER), next: nextField() },
  { ...STRICT, title: 'AdminOrderPage' },
);

const ORDER_EVENT = Type.Object(
  {
    type: Type.Enum([...ORDER_EVENT_TYPES], {
      ...{ type: 'string', description: 'What happened.', examples: ['order.paid'] },
    }),
    status: orderStatusField('The state after it.'),
    atMs: epochMsField('When, by the clock of the ledger.'),
  },
  { ...STRICT, title: 'OrderEvent' },
);

export const ADMIN_ORDER_DETAILS = Type.Object(
  {
    ...ADMIN_ORDER_FIELDS,
    payments: Type.Array(ORDER_PAYMENT, { description: 'What was told of money, oldest first.' }),
    history: Type.Array(ORDER_EVENT, { description: 'Oldest first.' }),
  },
  { ...STRICT, title: 'AdminOrderDetails' },
);

export type AdminOrderAnswer = Static<typeof ADMIN_ORDER>;
export type AdminOrderDetails = Static<typeof ADMIN_ORDER_DETAILS>;
