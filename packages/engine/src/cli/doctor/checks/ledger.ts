import { sentenceOf } from '../../../compose/cannot-start.ts';
import { lostKeysSentence, prepareKeys } from '../../../compose/deployment-keys.ts';
import {
  auditLedger,
  holdStore,
  type InspectedStore,
  stepsOfNewLedger,
  withStore,
} from '../../../compose/stopped-store.ts';
import type { Settings } from '../../../config/settings.ts';
import { type Finding, fail, ok, warn } from '../finding.ts';
import type { Check } from '../scene.ts';

const NAME = 'ledger';

/** Open, whole, of this version's schema, and its counters say what its orders and its journal say. */
export const checkLedger: Check = async ({ store, settings, dataDir }) => {
  if (settings.databaseUrl !== undefined) return lookIntoDatabase({ ...settings, dataDir });
  switch (store.kind) {
    case 'none':
      return [ok(NAME, 'There is none yet.')];
    case 'held':
      return [ok(NAME, 'The running deployment has it open; stop it to have it checked for damage.')];
    case 'broken':
      return [fail(NAME, store.sentence)];
    case 'open':
      return lookInto(store.store, { ...settings, dataDir });
  }
};

async function lookIntoDatabase(settings: Settings): Promise<readonly Finding[]> {
  try {
    return await withStore(holdStore(settings), (store) => lookInto(store, settings));
  } catch (error) {
    const sentence = sentenceOf(error);
    if (sentence === null) throw error;
    return [fail(NAME, sentence)];
  }
}

async function lookInto(
  { ledger, where, damage: damageOf }: InspectedStore,
  settings: Settings,
): Promise<readonly Finding[]> {
  const [damage] = damageOf();
  if (damage !== undefined) {
    const says = `${where} is damaged (${damage}): keep a copy of it, and put the last good backup in its place.`;
    return [fail(NAME, says)];
  }
  const pending = await ledger.pendingMigrations();
  if (pending.length === (await stepsOfNewLedger()).length)
    return [ok(NAME, `${where} has no tables yet: a start makes them, or \`sluice migrate\`.`)];
  if (pending.length > 0) {
    const says = `${where} is of an older version (${pending.join(', ')} missing): a start brings it to date, or \`sluice migrate\`.`;
    return [warn(NAME, says)];
  }
  const wrong = (await auditLedger(ledger)).filter(({ differences }) => differences.length > 0);
  if (wrong.length > 0) {
    const names = wrong.map(({ books }) => books.saleId).join(', ');
    return [fail(NAME, `The books of ${names} do not balance: \`sluice reconcile\` says where.`)];
  }
  const lastMs = await ledger.lastWrittenAtMs();
  const whole = ok(NAME, `${where} is whole and up to date, and its books balance.`);
  return [whole, clock(lastMs), ...(lastMs === null ? [] : keysOf(settings))];
}

/** Those that the tokens of its orders were signed with. */
function keysOf(settings: Settings): readonly Finding[] {
  try {
    const { hasNewTokenKeys } = prepareKeys(settings.dataDir, settings);
    return hasNewTokenKeys ? [fail('keys', lostKeysSentence(settings.dataDir))] : [];
  } catch (error) {
    // What is wrong with the file is the finding of another check.
    if (sentenceOf(error) === null) throw error;
    return [];
  }
}

/** A clock that steps is slewed by time services; more than this is a step. */
const STEP_MS = 1_000;

function clock(lastMs: number | null): Finding {
  const behindMs = lastMs === null ? 0 : lastMs - Date.now();
  if (behindMs <= STEP_MS) return ok('clock', 'This machine is not behind what the ledger has written.');
  const says = `This machine's clock is ${Math.round(behindMs / 1_000)} s behind the last entry of the ledger: it was stepped back, or that one was wrong. Set it right before a start: windows and due times go by it.`;
  return fail('clock', says);
}
