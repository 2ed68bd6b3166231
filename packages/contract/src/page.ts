/** Pages of a long list, by keyset: what comes in meanwhile moves nothing. */
import Type, { type TUnsafe } from 'typebox';
import { nullable } from './fields.ts';

/** Nothing in a query is a number until it was asked to be one. */
export const PAGE_FIELDS = {
  after: Type.Optional(
    Type.String({
      ...{ maxLength: 64, description: 'Where the page begins: `next` of the one before. Not to be taken apart.' },
      examples: ['1790000000000.q0Hk3vZ2T6mJ8sXw'],
    }),
  ),
  limit: Type.Optional(
    Type.String({
      ...{ pattern: '^([1-9][0-9]?|100)$', description: 'Entries of a page, 1 to 100; 20 when not given.' },
      examples: ['100'],
    }),
  ),
};

export function nextField(): TUnsafe<string | null> {
  const description = 'The `after` of the next page; null on the last one.';
  return nullable<string>(Type.String({ description, examples: ['1790000000000.q0Hk3vZ2T6mJ8sXw'] }));
}
