import { afterAll, describe } from 'vitest';
import { claimMarksContract } from '../../ports/claim-marks.contract.ts';
import { gateContract } from '../../ports/gate.contract.ts';
import { queueContract } from '../../ports/queue.contract.ts';
import { agreesWithMemory } from './agrees-with-memory.contract.ts';
import { startClusterTopology } from './redis-topologies.contract.ts';
import { redisStoreSubject } from './store-subject.contract.ts';

const found = await startClusterTopology();

describe.skipIf('missing' in found)('against a Cluster of three masters', () => {
  const deployment = () => {
    if ('missing' in found) throw new Error(found.missing);
    return found.topology;
  };
  const subject = redisStoreSubject(deployment, 'Redis Cluster');
  afterAll(() => ('missing' in found ? undefined : found.topology.stop()));
  gateContract(subject);
  queueContract(subject);
  claimMarksContract(subject);
  agreesWithMemory(subject, 15);
});
