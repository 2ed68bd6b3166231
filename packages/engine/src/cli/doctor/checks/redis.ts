import { lookAtRedis } from '../../../compose/look-at-redis.ts';
import { fail, ok, warn } from '../finding.ts';
import type { Check } from '../scene.ts';

const NAME = 'redis';

/** Reachable in the form that its address says, and set up such that it loses nothing that it holds. */
export const checkRedis: Check = async ({ settings }) => {
  const sight = await lookAtRedis(settings);
  if (!sight) return [ok(NAME, 'None is set: the gate is in the process.')];
  const { says, failures, warnings } = sight;
  return [
    ...failures.map((sentence) => fail(NAME, sentence)),
    ...warnings.map((sentence) => warn(NAME, sentence)),
    ...(says === '' ? [] : [ok(NAME, says)]),
  ];
};
