/** What the operator's back end says of money: once or several times, early or late, in any order. */
import Type, { type Static } from 'typebox';
import { ORDER_STATES, type OrderState, PAYMENT_OUTCOMES, PAYMENT_STATES } from './codes/index.ts';
import { nullable, orderIdField, STORABLE, STRICT } from './fields.ts';

const MAX_REFERENCE_LENGTH = 200;

const reference = Type.String({
  ...{ minLength: 1, maxLength: MAX_REFERENCE_LENGTH, pattern: `^(?!wallet:)${STORABLE.slice(1)}` },
  description:
    'Yours, for this payment: with the outcome it names the notice, and saying it again changes nothing. `wallet:` begins those that the engine gives.',
  examples: ['pay-20261111-0001'],
});

const outcome = Type.Enum([...PAYMENT_OUTCOMES], {
  ...{ type: 'string', description: 'What became of the money.', examples: ['paid'] },
});

const paymentState = Type.Enum([...PAYMENT_STATES], {
  ...{ type: 'string', examples: ['applied'] },
  description:
    '`applied`; `parked` until the order can take it; `reclaiming`: late, looking for units; `refund_due`: give it back.',
});

export const PAYMENT_NOTICE = Type.Object(
  {
    reference,
    outcome,
    amount: Type.Optional(
      Type.Integer({
        ...{ minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
        ...{
          description: "In the currency's smallest unit; when the sale has a price, it must be what the order costs.",
          examples: [4_900],
        },
      }),
    ),
  },
  { ...STRICT, title: 'PaymentNotice' },
);

export const PAYMENT_NOTED = Type.Object(
  {
    orderId: orderIdField(),
    ...{ reference, outcome },
    payment: paymentState,
    status: nullable<OrderState>(
      Type.String({
        enum: [...ORDER_STATES, null],
        ...{ description: 'Of the order; null while it is not in the ledger.', examples: ['paid'] },
      }),
    ),
    repeated: Type.Boolean({ description: 'It was known already; nothing changed.' }),
    note: Type.Optional(
      Type.String({
        description: 'For people, when there is no such order in the ledger: what that means, in English.',
      }),
    ),
  },
  { ...STRICT, title: 'PaymentNoted' },
);

/** As operators see it. What is due back stays `refund_due`: its refund is a notice of its own. */
export const ORDER_PAYMENT = Type.Object(
  {
    reference: Type.String({
      ...{ description: 'As it was told; `wallet:` begins those of the engine.', examples: ['pay-20261111-0001'] },
    }),
    outcome,
    amount: nullable<number>(
      Type.Integer({ description: "In the currency's smallest unit; null when it was not told.", examples: [4_900] }),
    ),
    state: paymentState,
  },
  { ...STRICT, title: 'OrderPayment' },
);

export type PaymentNoticeRequest = Static<typeof PAYMENT_NOTICE>;
export type PaymentNotedAnswer = Static<typeof PAYMENT_NOTED>;
