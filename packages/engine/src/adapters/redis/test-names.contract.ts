/** What tests call the keys that their stores have in Redis. */
import { createNames } from './keys.ts';

export const TEST_LEDGER = 'test';

export const TEST_NAMES = createNames(TEST_LEDGER);

export const { keysOf, stagedKeysOf } = TEST_NAMES;
