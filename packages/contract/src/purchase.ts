/** A purchase: the token is its idempotency key, and its order's id was in the token. */
import Type, { type Static } from 'typebox';
import { ORDER_STATES } from './codes/index.ts';
import { nullable, orderIdField, STRICT, unitsField } from './fields.ts';

export const PURCHASE = Type.Object(
  {
    token: Type.String({
      description: 'The purchase token, as it was handed out.',
      examples: ['k1.MjI6cTBI.kQ0uWc1y'],
    }),
    units: unitsField('Units wanted.', 1),
  },
  { ...STRICT, title: 'Purchase' },
);

export const PURCHASE_ACCEPTED = Type.Object(
  {
    orderId: orderIdField(),
    status: Type.Enum([...ORDER_STATES], {
      ...{ type: 'string', description: '`queued`: taken, and on its way into the ledger.', examples: ['pending'] },
    }),
    units: unitsField('Units of the order.', 1),
    replayed: Type.Boolean({ description: 'This token had been accepted before; nothing more was taken.' }),
    receipt: nullable<string>(
      Type.String({
        description: 'Proof that the units were taken; keep it. Null when that is not known yet.',
        examples: ['k1.MjY6aG9tZS8wLzE.kQ0uWc1y0l8yXxqg5F7sC3mQ2oXv9b4T1nZ6rH0dEwE'],
      }),
    ),
  },
  { ...STRICT, title: 'PurchaseAccepted' },
);

export type PurchaseRequestBody = Static<typeof PURCHASE>;
export type PurchaseAnswer = Static<typeof PURCHASE_ACCEPTED>;
