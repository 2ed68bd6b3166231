import { accessSync, constants, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { isPrivate } from '../../../compose/deployment-files.ts';
import { type Finding, fail, ok, warn } from '../finding.ts';
import type { Check } from '../scene.ts';

const NAME = 'data directory';
const DISK = 'disk';

/** A sale night writes some hundred bytes for each order, three times over until the log is folded in. */
const LEAST_FREE_BYTES = 64 * 1024 ** 2;
const FEW_FREE_BYTES = 1024 ** 3;

export const checkDataDirectory: Check = ({ dataDir }) => {
  const stats = statSync(dataDir, { throwIfNoEntry: false });
  if (!stats) {
    const says = `${dataDir} is not there yet: \`sluice start\` makes it.`;
    return [warn(NAME, says), disk(existingParent(dataDir))];
  }
  if (!stats.isDirectory()) return [fail(NAME, `${dataDir} is no directory: move it away, or set dataDir to another.`)];
  return [access(dataDir, stats.uid), disk(dataDir)];
};

function access(dataDir: string, owner: number): Finding {
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return fail(NAME, `This user may not write ${dataDir}: give it the right to, or run as user ${owner}.`);
  }
  const user = process.getuid?.();
  if (user !== undefined && user !== owner) {
    return warn(
      NAME,
      `${dataDir} belongs to user ${owner}, and you are ${user}: run the deployment as its owner only.`,
    );
  }
  if (process.platform !== 'win32' && !isPrivate(dataDir))
    return warn(NAME, `Others may read files in ${dataDir}, which hold keys and buyers: \`chmod -R go= ${dataDir}\`.`);
  return ok(NAME, `${dataDir} can be written, and is its owner's only.`);
}

function disk(path: string): Finding {
  const { bavail, bsize } = statfsSync(path);
  const free = bavail * bsize;
  const says = `${(free / 1024 ** 3).toFixed(1)} GiB free under ${path}`;
  if (free < LEAST_FREE_BYTES) return fail(DISK, `${says}: make room before anything is sold.`);
  return free < FEW_FREE_BYTES ? warn(DISK, `${says}: make room before a large sale.`) : ok(DISK, `${says}.`);
}

function existingParent(path: string): string {
  return statSync(path, { throwIfNoEntry: false }) ? path : existingParent(dirname(path));
}
