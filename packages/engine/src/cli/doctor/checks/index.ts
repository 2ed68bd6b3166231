/** Every check, in the order in which their findings are read. */
import type { Check } from '../scene.ts';
import { checkDataDirectory } from './data-directory.ts';
import { checkDeployment } from './deployment.ts';
import { checkKeys } from './keys.ts';
import { checkLedger } from './ledger.ts';
import { checkLock } from './lock.ts';
import { checkNodeVersion } from './node-version.ts';
import { checkPorts } from './ports.ts';
import { checkRedis } from './redis.ts';

export const CHECKS_HERE: readonly Check[] = [
  ...[checkNodeVersion, checkDataDirectory, checkLock, checkKeys, checkLedger],
  ...[checkRedis, checkPorts, checkDeployment],
];

/** Of a deployment that is on another machine, or may be. */
export const CHECKS_ELSEWHERE: readonly Check[] = [checkNodeVersion, checkDeployment];
