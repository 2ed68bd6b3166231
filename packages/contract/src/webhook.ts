/** Webhook endpoints as operators manage them. A secret is told when it is made, and never again. */
import Type, { type Static } from 'typebox';
import { EVENT_TYPES } from './codes/index.ts';
import { epochMsField, noneOr, nullable, STRICT } from './fields.ts';

const MAX_URL_LENGTH = 2_048;

const id = Type.String({
  ...{ pattern: '^[a-z0-9][a-z0-9-]{0,63}$' },
  ...{
    description: 'Your name for the endpoint: small letters, digits and dashes, at most 64.',
    examples: ['game-mail'],
  },
});

const url = Type.String({
  ...{ minLength: 1, maxLength: MAX_URL_LENGTH, pattern: '^[!-~]+$' },
  ...{ description: 'Where events are sent.', examples: ['https://mail.game.example/sluice'] },
});

const events = Type.Array(
  Type.Enum([...EVENT_TYPES], { type: 'string', description: 'A type of event.', examples: ['order.paid'] }),
  { minItems: 1, maxItems: EVENT_TYPES.length, uniqueItems: true, description: 'Which events it is told of.' },
);

const secret = Type.String({
  description: 'Signs what is sent, by Standard Webhooks. Keep it: it is not told again.',
  examples: ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazqmSnpjrYc='],
});

const oldSecretUntilMs = nullable<number>(
  epochMsField('Until when the secret before signs, too; null when it does not.'),
);

export const WEBHOOK_PARAMS = Type.Object({ webhookId: id }, STRICT);

export const ADD_WEBHOOK = Type.Object(
  { id, url, events: Type.Optional(events) },
  { ...STRICT, title: 'AddWebhook', description: 'Without `events` it is told of all of them.' },
);

const WEBHOOK_FIELDS = { id, url, events, createdAtMs: epochMsField('What happened before is not told.') };

export const WEBHOOK_ADDED = Type.Object({ ...WEBHOOK_FIELDS, secret }, { ...STRICT, title: 'WebhookAdded' });

const count = (description: string) => Type.Integer({ minimum: 0, description, examples: [0] });

const WEBHOOK = Type.Object(
  {
    ...WEBHOOK_FIELDS,
    oldSecretUntilMs,
    waiting: count('Deliveries that are still to be made.'),
    dead: count('Deliveries that were given up.'),
  },
  { ...STRICT, title: 'Webhook' },
);

export const WEBHOOK_LIST = Type.Object({ webhooks: Type.Array(WEBHOOK) }, { ...STRICT, title: 'WebhookList' });

export const WEBHOOK_REMOVED = Type.Object({ id }, { ...STRICT, title: 'WebhookRemoved' });

export const ROTATE_SECRET = noneOr(
  Type.Object(
    {
      dropOld: Type.Optional(
        Type.Boolean({ description: 'The old secret signs no more, at once: it has leaked.', examples: [false] }),
      ),
    },
    { ...STRICT, title: 'RotateSecret', description: 'No content, or how.' },
  ),
);

export const SECRET_ROTATED = Type.Object({ id, secret, oldSecretUntilMs }, { ...STRICT, title: 'SecretRotated' });

export const WEBHOOK_TESTED = Type.Object(
  {
    delivered: Type.Boolean({ description: 'It answered 2xx.', examples: [true] }),
    status: nullable<number>(
      Type.Integer({
        minimum: 100,
        maximum: 999,
        description: 'Of its answer; null when there was none.',
        examples: [204],
      }),
    ),
    error: nullable<string>(Type.String({ description: 'What went wrong.', examples: ['HTTP 500'] })),
  },
  { ...STRICT, title: 'WebhookTested' },
);

const deliveryId = Type.Integer({
  ...{ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Of the delivery.', examples: [7] },
});

export const LIST_DEAD_LETTERS = Type.Object(
  {
    after: Type.Optional(
      Type.String({
        ...{ pattern: '^[1-9]\\d{0,14}$', description: 'Where the page begins: `next` of the one before.' },
        examples: ['7'],
      }),
    ),
    limit: Type.Optional(
      Type.String({ pattern: '^([1-9][0-9]?|100)$', description: 'Entries of a page, 1 to 100; 20 when not given.' }),
    ),
  },
  STRICT,
);

export const DEAD_LETTER_PAGE = Type.Object(
  {
    deadLetters: Type.Array(
      Type.Object(
        {
          id: deliveryId,
          eventId: Type.String({
            description: 'The `webhook-id` of each try.',
            examples: ['q0Hk3vZ2T6mJ8sXw.7'],
          }),
          type: Type.Enum([...EVENT_TYPES], { type: 'string', description: 'Of the event.', examples: ['order.paid'] }),
          subject: Type.String({ description: 'The order, or the sale.', examples: ['q0Hk3vZ2T6mJ8sXw'] }),
          failures: Type.Integer({ minimum: 0, description: 'Tries that failed.', examples: [11] }),
          error: Type.String({ description: 'What the last one met.', examples: ['HTTP 500'] }),
          diedAtMs: epochMsField('When it was given up.'),
        },
        { ...STRICT, title: 'DeadLetter' },
      ),
    ),
    next: nullable<number>(deliveryId),
  },
  { ...STRICT, title: 'DeadLetterPage' },
);

export const REPLAY = noneOr(
  Type.Object(
    { delivery: Type.Optional(deliveryId) },
    { ...STRICT, title: 'Replay', description: 'One dead letter; no content: all of the endpoint.' },
  ),
);

export const REPLAYED = Type.Object(
  { replayed: Type.Integer({ minimum: 0, description: 'How many are sent again.', examples: [1] }) },
  { ...STRICT, title: 'Replayed' },
);

export type AddWebhookRequest = Static<typeof ADD_WEBHOOK>;
export type WebhookAddedAnswer = Static<typeof WEBHOOK_ADDED>;
export type WebhookListAnswer = Static<typeof WEBHOOK_LIST>;
export type SecretRotatedAnswer = Static<typeof SECRET_ROTATED>;
export type WebhookTestedAnswer = Static<typeof WEBHOOK_TESTED>;
export type DeadLetterPageAnswer = Static<typeof DEAD_LETTER_PAGE>;
export type ReplayedAnswer = Static<typeof REPLAYED>;
