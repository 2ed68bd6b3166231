/**
 * What several resources have in common. Ids are strings and never parsed; units are whole numbers that every store and
 * every JavaScript keeps exact; times are milliseconds since 1970.
 */
import Type, { type Static, type TSchema, type TUnsafe } from 'typebox';
import { ORDER_STATES, SALE_ID_PATTERN } from './codes/index.ts';

/** What no schema below leaves open: a field that is not named is refused, and never sent. */
export const STRICT = { additionalProperties: false } as const;

/** The last millisecond that a Date can hold. */
const LATEST_MS = 8_640_000_000_000_000;

export function saleIdField() {
  return Type.String({
    pattern: SALE_ID_PATTERN,
    description: 'Id of a sale: small letters, digits and dashes, at most 64.',
    examples: ['spring-skins'],
  });
}

export function limitGroupField(description: string) {
  return Type.String({ pattern: SALE_ID_PATTERN, description, examples: ['spring-skins'] });
}

export function orderIdField() {
  return Type.String({
    pattern: '^[A-Za-z0-9_-]{16}(?:[A-Za-z0-9_-]{6})?$',
    description:
      'Id of an order, known before the first attempt: 16 letters, or 22 where a key or an earlier version made it.',
    examples: ['q0Hk3vZ2T6mJ8sXw'],
  });
}

export function unitsField(description: string, minimum: 0 | 1 = 0) {
  return Type.Integer({ minimum, maximum: Number.MAX_SAFE_INTEGER, description, examples: [minimum] });
}

export function epochMsField(description: string) {
  return Type.Integer({
    ...{ minimum: 0, maximum: LATEST_MS },
    description: `${description} Milliseconds since 1970.`,
    examples: [1_790_000_000_000],
  });
}

/** Null as a second type, not as a union: a union costs a validation at every answer. */
export function nullable<Value>(schema: TSchema & { readonly type: string }): TUnsafe<Value | null> {
  return Type.Unsafe<Value | null>({ ...schema, type: [schema.type, 'null'] });
}

/** What PostgreSQL cannot store as text (NUL), and what would come back as something else (half a surrogate pair). */
export const STORABLE = '^[^\\u0000\\ud800-\\udfff]*$';

export function orderStatusField(description: string) {
  return Type.Enum([...ORDER_STATES], { type: 'string', description, examples: ['paid'] });
}

/** Longest buyer id that is carried, in letters. */
const MAX_BUYER_LENGTH = 512;

export function buyerField() {
  return Type.String({
    ...{ minLength: 1, maxLength: MAX_BUYER_LENGTH, pattern: STORABLE },
    ...{ description: "Who buys, by your own id; what the buyer's JWT would say.", examples: ['ann'] },
  });
}

/** For requests whose content may be left out. */
export function noneOr<Schema extends TSchema & { readonly type: string }>(
  schema: Schema,
): TUnsafe<Static<Schema> | null> {
  return Type.Unsafe<Static<Schema> | null>({ ...schema, type: [schema.type, 'null'] });
}

/** Of draft-ietf-httpapi-idempotency-key-header: a string in quotes; a plain word is taken for what stands between them. */
export const IDEMPOTENCY_KEY = Type.String({
  ...{ minLength: 1, maxLength: 257 },
  pattern: '^("[!#-\\[\\]-~ ]{1,255}"|[A-Za-z0-9._~:+/=-]{1,255})$',
  description:
    'Yours: for a day, the same key gets the first answer again (marked Idempotent-Replayed) and nothing is done twice.',
  examples: ['"8e03978e-40d5-43e8-bc93-6894a57f9324"'],
});

/** For requests that need no content: none at all, or an empty object. */
export const NO_CONTENT = Type.Unsafe<Readonly<Record<string, never>> | null>({
  ...{ type: ['object', 'null'], properties: {} },
  ...STRICT,
  description: 'No content, or an empty object.',
});
