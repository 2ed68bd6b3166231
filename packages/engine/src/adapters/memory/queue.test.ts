import { expect, test } from 'vitest';
import { queueContract } from '../../ports/queue.contract.ts';
import { type QueueEntry, TAKE_OVER_AFTER_MS } from '../../ports/queue.ts';
import { createManualClock } from './manual-clock.ts';
import { createMemoryQueue } from './queue.ts';
import { memoryStoreSubject } from './store-subject.contract.ts';

queueContract(memoryStoreSubject);

const key = { saleId: 'sale', region: 'main', segment: 0 };
const entryAt = (seq: number): QueueEntry => ({
  claim: {
    orderId: `order-${seq}`,
    saleId: key.saleId,
    buyerId: 'one',
    units: 1,
    origin: { region: key.region, segment: key.segment, channel: 'web', epoch: 1, seq },
  },
  claimedAtMs: seq,
});

test('the memory queue keeps its place while it drops the holes of removed entries', async () => {
  const clock = createManualClock(0);
  const queue = createMemoryQueue(clock);
  const all = Array.from({ length: 10_000 }, (_, at) => entryAt(at + 1));
  const remove = (entries: readonly QueueEntry[]) => queue.remove(entries.map((entry) => entry.claim));
  queue.put(key, all);

  // A front that does not move, an end that is removed unread, and the middle read and removed in groups.
  expect(await queue.read('stuck', 1)).toEqual(all.slice(0, 1));
  await remove(all.slice(9000));
  for (let at = 1; at < 5001; at += 500) {
    const group = await queue.read('busy', 500);
    expect(group).toEqual(all.slice(at, at + 500));
    await remove(group);
  }
  expect(await queue.peek(key)).toEqual([all[0], ...all.slice(5001, 9000)]);

  // What was left behind comes before what was never read.
  clock.advance(TAKE_OVER_AFTER_MS);
  expect(await queue.read('busy', 2)).toEqual([all[0], all[5001]]);
  await remove(all.slice(5001, 9000));
  queue.put(key, [entryAt(10_001)]);
  expect(await queue.read('busy', 500)).toEqual([entryAt(10_001)]);
  expect(await queue.depth()).toMatchObject({ entries: 2 });
});

test('the memory queue removes nothing by a name that only shares the position', async () => {
  const queue = createMemoryQueue(createManualClock(0));
  const entry = entryAt(1);
  const { claim } = entry;
  queue.put(key, [entry]);
  await queue.remove([
    { ...claim, orderId: 'another' },
    { ...claim, origin: { ...claim.origin, channel: 'app' } },
  ]);
  expect(await queue.peek(key)).toEqual([entry]);
});
