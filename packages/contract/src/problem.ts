/** Every answer that is not the one asked for: RFC 9457, with one reason of the closed table. */
import Type, { type Static } from 'typebox';
import { REASONS, type Reason } from './codes/index.ts';
import { epochMsField, orderIdField, STRICT, unitsField } from './fields.ts';

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** The `type` of a problem: a name, not an address. */
export function problemType(reason: Reason): string {
  return `urn:sluice:reason:${reason}`;
}

export const PROBLEM = Type.Object(
  {
    type: Type.String({ description: 'A name for the reason.', examples: [problemType('sold_out')] }),
    title: Type.String({ description: 'The reason in words, by Accept-Language.', examples: [REASONS.sold_out.en] }),
    status: Type.Integer({ description: 'The HTTP status again.', examples: [REASONS.sold_out.status] }),
    detail: Type.String({ description: 'What is wrong with this request.', examples: [REASONS.sold_out.en] }),
    reason: Type.Enum(Object.keys(REASONS) as Reason[], {
      ...{ type: 'string', description: 'What to act on.', examples: ['sold_out'] },
    }),
    instance: Type.Optional(Type.String({ description: 'Names this occurrence.' })),
    retryAtMs: Type.Optional(epochMsField('When it is worth coming again.')),
    retryAfterMs: Type.Optional(Type.Integer({ minimum: 0, description: 'Or how long to wait.', examples: [1_000] })),
    liveOrderIds: Type.Optional(
      Type.Array(orderIdField(), {
        description:
          'With `over_limit`: the orders that use the limit up. With `sold_out` and `none_left_now`: those the buyer has.',
      }),
    ),
    left: Type.Optional(unitsField('With `not_enough_left`: units that are left.')),
  },
  { ...STRICT, title: 'Problem' },
);

export type Problem = Static<typeof PROBLEM>;
