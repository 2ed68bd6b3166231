import { isProcessAlive } from '../../../compose/deployment-files.ts';
import { fail, ok, warn } from '../finding.ts';
import type { Check } from '../scene.ts';

const NAME = 'lock';

export const checkLock: Check = ({ store, endpoint, dataDir }) => {
  switch (store.kind) {
    case 'broken':
      return [];
    case 'none':
    case 'open': {
      if (endpoint === null) return [ok(NAME, 'Nobody holds the data directory.')];
      if (!isProcessAlive(endpoint.pid))
        return [
          warn(NAME, `Process ${endpoint.pid} ended without a stop (a kill, or a crash): a start mends what it left.`),
        ];
      const says = `endpoint.json names process ${endpoint.pid}, which lives and does not hold the lock: another program got its number. A start puts it right.`;
      return [warn(NAME, says)];
    }
    case 'held': {
      const { by } = store;
      if (by === null) return [warn(NAME, `A process that left no number holds ${dataDir}: it may be starting.`)];
      if (!isProcessAlive(by))
        return [
          fail(
            NAME,
            `${dataDir} is held, and process ${by}, which said so last, is gone: look for another program that has lock.db open.`,
          ),
        ];
      return [ok(NAME, `Process ${by} holds the data directory.`)];
    }
  }
};
