/** An order as its buyer sees it. Who bought it is left out, because only they can read it. */
import Type, { type Static } from 'typebox';
import { ORDER_STATES, REFUSAL_CAUSES, type RefusalCause } from './codes/index.ts';
import { epochMsField, nullable, orderIdField, STRICT, saleIdField, unitsField } from './fields.ts';

export const ORDER_PARAMS = Type.Object({ orderId: orderIdField() }, STRICT);

export const ORDER = Type.Object(
  {
    orderId: orderIdField(),
    saleId: saleIdField(),
    units: unitsField('Units of the order.', 1),
    status: Type.Enum([...ORDER_STATES], {
      type: 'string',
      description: 'Where it is in its life.',
      examples: ['paid'],
    }),
    refusal: nullable<RefusalCause>(
      Type.String({
        enum: [...REFUSAL_CAUSES, null],
        ...{ description: 'Why the ledger refused it; null unless `refused`.', examples: [null] },
      }),
    ),
    settledAtMs: epochMsField('When it came into the ledger.'),
    dueAtMs: nullable<number>(epochMsField('When an unpaid order may be ended; null when it holds nothing.')),
  },
  { ...STRICT, title: 'Order' },
);

export type OrderAnswer = Static<typeof ORDER>;
