import { sentenceOf } from '../../../compose/cannot-start.ts';
import { lookAtRedis } from '../../../compose/look-at-redis.ts';
import { holdStore, type InspectedStore, withStore } from '../../../compose/stopped-store.ts';
import { fail, ok, warn } from '../finding.ts';
import type { Check, Scene } from '../scene.ts';

const NAME = 'redis';

/** Reachable in the form that its address says, ours alone, and set up such that it loses nothing that it holds. */
export const checkRedis: Check = async (scene) => {
  const { settings } = scene;
  const sight = settings.redisUrl === undefined ? null : await lookAtRedis(settings, await ledgerIdOf(scene));
  if (!sight) return [ok(NAME, 'None is set: the gate is in the process.')];
  const { says, failures, warnings } = sight;
  return [
    ...failures.map((sentence) => fail(NAME, sentence)),
    ...warnings.map((sentence) => warn(NAME, sentence)),
    ...(says === '' ? [] : [ok(NAME, says)]),
  ];
};

/** Null where it is in use by somebody else, is not there yet, or cannot be read: the check of the ledger says so. */
async function ledgerIdOf({ settings, dataDir, store }: Scene): Promise<string | null> {
  if (store.kind === 'open') return readId(store.store);
  if (settings.databaseUrl === undefined) return null;
  try {
    return await withStore(holdStore({ ...settings, dataDir }), readId);
  } catch (error) {
    if (sentenceOf(error) === null) throw error;
    return null;
  }
}

async function readId({ ledger }: InspectedStore): Promise<string | null> {
  return (await ledger.pendingMigrations()).length === 0 ? ledger.id() : null;
}
