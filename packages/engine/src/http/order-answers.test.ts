import { expect, test } from 'vitest';
import { errorToRefusal } from './error-to-refusal.ts';
import { readOffer } from './order-answers.ts';

test('an order of a sale that the ledger has forgotten is to be asked for again, and no mistake of ours', async () => {
  const forgetful = { findSale: async () => null, showSale: async () => null };
  const thrown: unknown = await readOffer(forgetful, 'gone').catch((error: unknown) => error);
  expect(errorToRefusal(thrown).refusal).toMatchObject({ reason: 'busy' });
});
