import { afterAll, describe } from 'vitest';
import { claimMarksContract } from '../../ports/claim-marks.contract.ts';
import { gateContract } from '../../ports/gate.contract.ts';
import { queueContract } from '../../ports/queue.contract.ts';
import { startRedis } from './redis-server.contract.ts';
import { redisStoreSubject } from './store-subject.contract.ts';

const found = await startRedis();

describe.skipIf('missing' in found)('against a redis-server', () => {
  const server = () => {
    if ('missing' in found) throw new Error(found.missing);
    return found.server;
  };
  afterAll(() => server().stop());
  gateContract(redisStoreSubject(server));
  queueContract(redisStoreSubject(server));
  claimMarksContract(redisStoreSubject(server));
});
