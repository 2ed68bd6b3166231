import { afterAll, describe } from 'vitest';
import { claimMarksContract } from '../../ports/claim-marks.contract.ts';
import { gateContract } from '../../ports/gate.contract.ts';
import { queueContract } from '../../ports/queue.contract.ts';
import { agreesWithMemory } from './agrees-with-memory.contract.ts';
import { startRedis } from './redis-server.contract.ts';
import { oneServer, redisStoreSubject } from './store-subject.contract.ts';

const found = await startRedis();

describe.skipIf('missing' in found)('against a redis-server', () => {
  const deployment = () => {
    if ('missing' in found) throw new Error(found.missing);
    return oneServer(found.server);
  };
  afterAll(() => ('missing' in found ? undefined : found.server.stop()));
  gateContract(redisStoreSubject(deployment));
  queueContract(redisStoreSubject(deployment));
  claimMarksContract(redisStoreSubject(deployment));
  agreesWithMemory(redisStoreSubject(deployment));
});
