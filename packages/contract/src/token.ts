/** The purchase token: leave to try, bound to one buyer and one sale. */
import Type, { type Static } from 'typebox';
import { epochMsField, orderIdField, STRICT } from './fields.ts';

export const TOKEN = Type.Object(
  {
    token: Type.String({
      description: 'Send it with the purchase, as it is; keep it, because the same token again is the same order.',
      examples: ['k1.MjI6cTBIazN2WjJUNm1KOHNYdzFiWWRFZw.kQ0uWc1y0l8yXxqg5F7sC3mQ2oXv9b4T1nZ6rH0dEwE'],
    }),
    orderId: orderIdField(),
    earliestMs: epochMsField('The first moment at which the token is taken.'),
    latestMs: epochMsField('The first moment at which it is taken no more.'),
    serverTimeMs: epochMsField('When this was answered.'),
  },
  { ...STRICT, title: 'Token' },
);

export type TokenAnswer = Static<typeof TOKEN>;
