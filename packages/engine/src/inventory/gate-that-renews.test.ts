import { expect, test } from 'vitest';
import { createManualClock } from '../adapters/memory/manual-clock.ts';
import { createMemoryStore } from '../adapters/memory/store.ts';
import { createIdSource } from '../adapters/system/ids.ts';
import { Fault } from '../domain/fault.ts';
import { createGateSession } from './gate-session.ts';
import { gateThatRenews } from './gate-that-renews.ts';

const segment = { saleId: 'skin', region: 'home', segment: 0 };
const terms = { version: 1, state: 'live', startsAtMs: 0, endsAtMs: 1_000, limitUnits: 1 } as const;
const wanted = { orderId: 'o', buyerId: 'b', channel: 'main', units: 1 };

test('a process without a keeper sells again once the lost gate was loaded by another', async () => {
  const clock = createManualClock(0);
  const store = createMemoryStore({ clock, idSource: createIdSource() });
  const session = createGateSession(store.gate, clock);
  const gate = gateThatRenews(store.gate, session);
  const claim = async () => (await gate.claim(await session.call(segment), [wanted]))[0]?.kind;
  expect(await claim()).toBe('not_ready');

  store.lose();
  const other = { segment, identity: await store.gate.identity(segment), deadlineMs: 1_000 };
  await store.gate.load(other, { segment, epoch: 1, terms, availableUnits: new Map([['main', 1]]), marks: [] });
  expect([await claim(), await claim()]).toEqual(['not_ready', 'claimed']);
});

test('a claim is answered though the server cannot be asked who it is', async () => {
  const clock = createManualClock(0);
  const store = createMemoryStore({ clock, idSource: createIdSource() });
  const session = createGateSession(store.gate, clock);
  const away = { ...session, renew: () => Promise.reject(new Fault('gate_unavailable')) };
  const gate = gateThatRenews(store.gate, away);
  expect(await gate.claim(await session.call(segment), [wanted])).toEqual([{ kind: 'not_ready' }]);
});
