import { expect, test } from 'vitest';
import { gateContract } from '../../ports/gate.contract.ts';
import { requests } from '../../ports/store-fixture.contract.ts';
import { createMemoryGate, type Server } from './gate.ts';
import { createManualClock } from './manual-clock.ts';
import { memoryStoreSubject } from './store-subject.contract.ts';

gateContract(memoryStoreSubject);

const clock = createManualClock(50);
const segment = { saleId: 'sale', region: 'main', segment: 0 };
const call = { segment, identity: 'me', deadlineMs: 100 };
const terms = { version: 1, state: 'live', startsAtMs: 0, endsAtMs: 100, limitUnits: 1 } as const;

test('the memory gate remembers nobody who was only refused', async () => {
  const server: Server = { identity: 'me', segments: new Map() };
  const gate = createMemoryGate({ clock, server, queue: { put: () => {}, putAgain: () => {}, has: () => false } });
  await gate.load(call, { segment, epoch: 1, terms, availableUnits: new Map([['web', 1]]), marks: [] });
  await gate.claim(call, requests(200));
  await gate.claim({ ...call, segment: { ...segment, segment: 1 } }, requests(200));
  expect(server.segments.get('sale/main/0')?.marks.size).toBe(1);
  expect(server.segments.size).toBe(1);
});

test('the memory gate sells nothing from a segment that was loaded under another identity', async () => {
  const server: Server = { identity: 'me', segments: new Map() };
  const gate = createMemoryGate({ clock, server, queue: { put: () => {}, putAgain: () => {}, has: () => false } });
  await gate.load(call, { segment, epoch: 1, terms, availableUnits: new Map([['web', 1]]), marks: [] });
  server.identity = 'restarted';
  const now = { ...call, identity: 'restarted' };
  expect(await gate.claim(now, requests(1))).toEqual([{ kind: 'not_ready' }]);
  expect(await gate.credit(now, { moveId: 'm', epoch: 1, channel: 'web', units: 1 })).toBe('not_ready');
  expect(await gate.setTerms(now, terms, 1)).toBe('not_ready');
  expect(await gate.read(segment)).toMatchObject({ identity: 'me' });
});
