/** What was set aside for a person: claims that the ledger refuses, and entries of the queue that nobody can read. */
import Type, { type Static } from 'typebox';
import { ORDER_STATES, type OrderState } from './codes/index.ts';
import { nullable, STRICT } from './fields.ts';

const ID_EXAMPLES = ['q0Hk3vZ2T6mJ8sXw@home/main/0/1-7'];

const id = Type.String({
  description: 'Of a claim: the order id and where it was claimed. Of an entry: where it was in which queue.',
  examples: ID_EXAMPLES,
});

export const LIST_QUARANTINE = Type.Object(
  {
    after: Type.Optional(
      Type.String({ minLength: 1, maxLength: 1_024, description: 'Where the page begins: `next` of the one before.' }),
    ),
    limit: Type.Optional(
      Type.String({ pattern: '^([1-9][0-9]?|100)$', description: 'Entries of a page, 1 to 100; 20 when not given.' }),
    ),
  },
  STRICT,
);

export const QUARANTINE_PAGE = Type.Object(
  {
    quarantine: Type.Array(
      Type.Object(
        {
          id,
          kind: Type.Enum(['claim', 'unread'], {
            ...{ type: 'string', description: '`unread`: an entry of the queue that nobody can read.' },
            examples: ['claim'],
          }),
          saleId: Type.String({ description: 'Of which sale.', examples: ['dragon-skin'] }),
          units: Type.Integer({ minimum: 0, description: 'Counted as `quarantined` for it.', examples: [1] }),
          reason: Type.String({ description: 'Why it was set aside.', examples: ['The ledger refused it.'] }),
          orderId: nullable<string>(Type.String({ description: 'Of a claim.', examples: ['q0Hk3vZ2T6mJ8sXw'] })),
          buyer: nullable<string>(Type.String({ description: 'Of a claim.', examples: ['ann'] })),
          text: nullable<string>(
            Type.String({ description: 'The beginning of an entry that cannot be read.', examples: ['hello world'] }),
          ),
        },
        { ...STRICT, title: 'SetAside' },
      ),
    ),
    next: nullable<string>(id),
  },
  { ...STRICT, title: 'QuarantinePage' },
);

/** Ids hold what a path does not. */
export const TAKE_OUT = Type.Object(
  { id: Type.String({ minLength: 1, maxLength: 1_024, description: 'As it is listed.', examples: ID_EXAMPLES }) },
  { ...STRICT, title: 'TakeOut' },
);

export const TAKEN_OUT = Type.Object(
  {
    id,
    orderId: nullable<string>(Type.String({ description: 'Of its claim.', examples: ['q0Hk3vZ2T6mJ8sXw'] })),
    status: nullable<OrderState>(
      Type.String({
        enum: [...ORDER_STATES, null],
        ...{ description: 'Of its order, now; null when it has none.', examples: ['pending'] },
      }),
    ),
    repeated: Type.Boolean({ description: 'The ledger had its claim already; nothing changed.', examples: [false] }),
  },
  { ...STRICT, title: 'TakenOut' },
);

export type TakenOutAnswer = Static<typeof TAKEN_OUT>;
export type QuarantinePageAnswer = Static<typeof QUARANTINE_PAGE>;
