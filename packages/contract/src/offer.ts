/** What a sale offers: its kind, what one unit delivers and what it costs. */
import Type, { type Static } from 'typebox';
import { SALE_KINDS } from './codes/index.ts';
import { STORABLE, STRICT } from './fields.ts';

const MAX_ITEMS = 20;
const MAX_ITEM_ID_LENGTH = 128;

export function kindField() {
  return Type.Enum([...SALE_KINDS], {
    ...{ type: 'string', examples: ['limited_skin'] },
    description: '`limited_skin`: for money; `gift_pack`: for nothing; `exchange`: for points of a wallet.',
  });
}

const ITEM = Type.Object(
  {
    itemId: Type.String({
      ...{ minLength: 1, maxLength: MAX_ITEM_ID_LENGTH, pattern: STORABLE },
      ...{ description: 'Yours, for what is delivered.', examples: ['dragon-skin'] },
    }),
    quantity: Type.Integer({
      ...{ minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
      ...{ description: 'How many of it.', examples: [1] },
    }),
  },
  STRICT,
);

export function itemsField(description: string) {
  return Type.Array(ITEM, { minItems: 1, maxItems: MAX_ITEMS, description });
}

export function priceField(description: string) {
  return Type.Object(
    {
      amount: Type.Optional(
        Type.Integer({
          ...{ minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
          ...{ description: "Money, in the currency's smallest unit; with `currency`.", examples: [4_900] },
        }),
      ),
      currency: Type.Optional(
        Type.String({ pattern: '^[A-Z]{3}$', description: 'An ISO 4217 code.', examples: ['CNY'] }),
      ),
      points: Type.Optional(
        Type.Integer({
          ...{ minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
          ...{ description: 'Points of the wallet, instead of money.', examples: [30] },
        }),
      ),
    },
    { ...STRICT, description },
  );
}

export type ItemAnswer = Static<typeof ITEM>;
export type PriceAnswer = Static<ReturnType<typeof priceField>>;
