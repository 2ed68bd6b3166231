import { fail, ok } from '../finding.ts';
import type { Check } from '../scene.ts';

/** As in package.json. */
const OLDEST = [20, 20] as const;

export const checkNodeVersion: Check = () => {
  const { node } = process.versions;
  const [major = 0, minor = 0] = node.split('.').map(Number);
  const isEnough = major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
  if (isEnough) return [ok('node', `Node.js ${node}.`)];
  return [fail('node', `Node.js ${node} is too old: install ${OLDEST.join('.')} or newer.`)];
};
