/** What an endpoint is told: the body of a webhook. Its id is in the header `webhook-id`, the same at every try. */
import Type, { type TSchema } from 'typebox';
import { ORDER_EVENT_TYPES, SALE_EVENT_TYPES, SALE_STATES } from './codes/index.ts';
import { buyerField, nullable, orderIdField, orderStatusField, STRICT, saleIdField, unitsField } from './fields.ts';
import { itemsField, kindField, type PriceAnswer, priceField } from './offer.ts';

function message<Data extends TSchema>(types: readonly string[], data: Data, title: string) {
  return Type.Object(
    {
      type: Type.Enum([...types], { type: 'string', description: 'What happened.', examples: [types[0] ?? ''] }),
      timestamp: Type.String({
        ...{ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' },
        ...{ description: 'When, by the clock of the ledger.', examples: ['2026-11-11T02:00:00.000Z'] },
      }),
      data,
    },
    { ...STRICT, title },
  );
}

/** Apart from `cost`: what is due back may be another sum than what the order costs. */
const toldPaymentFields = {
  reference: nullable<string>(
    Type.String({
      description: 'Of the payment that it is about, also when its money goes back; null when it is about none.',
      examples: ['pay-20261111-0001'],
    }),
  ),
  amount: nullable<number>(
    Type.Integer({
      description: "Of that payment, in the currency's smallest unit; null when it was not told.",
      examples: [4_900],
    }),
  ),
};

export const ORDER_EVENT_MESSAGE = message(
  ORDER_EVENT_TYPES,
  Type.Object(
    {
      ...{ orderId: orderIdField(), saleId: saleIdField(), buyer: buyerField() },
      units: unitsField('Units of the order.', 1),
      status: orderStatusField('The state after it; ask for the order to learn the state now.'),
      ...{ kind: kindField(), items: itemsField('What it delivers, all units together.') },
      cost: nullable<PriceAnswer>(
        priceField('What it costs, all units together; null when nothing is asked for or known.'),
      ),
      ...toldPaymentFields,
    },
    { ...STRICT, title: 'OrderEventData' },
  ),
  'OrderEventMessage',
);

export const SALE_EVENT_MESSAGE = message(
  SALE_EVENT_TYPES,
  Type.Object(
    {
      saleId: saleIdField(),
      status: Type.Enum([...SALE_STATES], { type: 'string', description: 'The state after it.', examples: ['live'] }),
      totalUnits: unitsField('All units of the sale.'),
      surplusUnits: Type.Optional(
        Type.Integer({
          description: 'With `inventory.unbalanced`: units that the places have beyond the total, or lack below zero.',
          examples: [-1],
        }),
      ),
    },
    { ...STRICT, title: 'SaleEventData' },
  ),
  'SaleEventMessage',
);
