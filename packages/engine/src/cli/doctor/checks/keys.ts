import { sentenceOf } from '../../../compose/cannot-start.ts';
import { areKeysOpen, hasKeys } from '../../../compose/deployment-files.ts';
import { checkStoredKeys } from '../../../compose/deployment-keys.ts';
import { fail, ok } from '../finding.ts';
import type { Check } from '../scene.ts';

const NAME = 'keys';

export const checkKeys: Check = ({ dataDir, settings }) => {
  if (!hasKeys(dataDir))
    return [ok(NAME, 'No keys were generated here; what is not configured is made at the first start.')];
  if (areKeysOpen(dataDir))
    return [
      fail(NAME, `Others may read ${dataDir}/keys.json: \`chmod 600\` it, and replace its keys, which may be known.`),
    ];
  try {
    checkStoredKeys(dataDir, settings);
    return [ok(NAME, "keys.json is its owner's only, and its keys are long enough.")];
  } catch (error) {
    const sentence = sentenceOf(error);
    if (sentence === null) throw error;
    return [fail(NAME, sentence)];
  }
};
