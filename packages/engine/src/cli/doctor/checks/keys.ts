import { sentenceOf } from '../../../compose/cannot-start.ts';
import { areKeysOpen, hasKeys } from '../../../compose/deployment-files.ts';
import { prepareKeys } from '../../../compose/deployment-keys.ts';
import type { Settings } from '../../../config/settings.ts';
import { fail, ok } from '../finding.ts';
import type { Check } from '../scene.ts';

const NAME = 'keys';

/** What it has of them goes with its process. */
const GONE =
  'The deployment that runs has keys that are in no file any more: before it stops, put keys.json back from a copy.';

export const checkKeys: Check = ({ dataDir, settings, isRunning }) => {
  if (!hasKeys(dataDir))
    return [
      isRunning && generatesKeys(settings)
        ? fail(NAME, GONE)
        : ok(NAME, 'No keys were generated here; what is not configured is made at the first start.'),
    ];
  if (areKeysOpen(dataDir))
    return [
      fail(NAME, `Others may read ${dataDir}/keys.json: \`chmod 600\` it, and replace its keys, which may be known.`),
    ];
  try {
    prepareKeys(dataDir, settings);
    return [ok(NAME, "keys.json is its owner's only, and its keys are long enough.")];
  } catch (error) {
    const sentence = sentenceOf(error);
    if (sentence === null) throw error;
    return [fail(NAME, sentence)];
  }
};

function generatesKeys({ jwtKey, adminKey, serverKey, tokenKeys }: Settings): boolean {
  return [jwtKey, adminKey, serverKey, tokenKeys].includes(undefined);
}
