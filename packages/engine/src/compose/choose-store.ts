/** Gate, queue and order feed: in this process, or in Redis when there is one. */
import { createMemoryOrderFeed } from '../adapters/memory/order-feed.ts';
import { createMemoryStore } from '../adapters/memory/store.ts';
import { openRedisStore } from '../adapters/redis/store.ts';
import type { Settings } from '../config/settings.ts';
import type { Clock } from '../ports/clock.ts';
import type { IdSource } from '../ports/id-source.ts';
import { gateDoesNotOpen } from './cannot-start.ts';
import { drain } from './drain.ts';
import type { EngineParts } from './engine.ts';
import type { Logger } from './log.ts';

export interface ChosenStore {
  readonly parts: Pick<
    EngineParts,
    'gate' | 'queue' | 'marks' | 'feed' | 'lendingLine' | 'gateClock' | 'isGateShared' | 'answersQueued'
  >;
  /** False while the gate may lose what it holds though nothing is lost: no buyer should be sent here. */
  isSafe(): boolean;
  /** How many claims end with this process, after they had their time. */
  drain(): Promise<number>;
  close(): void;
}

export interface StoreChoice {
  readonly settings: Pick<Settings, 'redisUrl' | 'claimDurability'>;
  readonly clock: Clock;
  readonly idSource: IdSource;
  readonly log: Logger;
  /** Of the ledger whose sales are sold. */
  readonly ledgerId: () => Promise<string>;
}

export async function chooseStore({ settings, clock, idSource, log, ledgerId }: StoreChoice): Promise<ChosenStore> {
  const { redisUrl, claimDurability } = settings;
  if (redisUrl === undefined) {
    const { gate, queue, marks } = createMemoryStore({ clock, idSource });
    const parts = { gate, queue, marks, feed: createMemoryOrderFeed() };
    return { parts, isSafe: () => true, drain: () => drain(queue), close: () => {} };
  }
  const options = { url: redisUrl, clock, ledgerId: await ledgerId(), asksReplica: claimDurability === 'replicated' };
  const store = await openRedisStore({ ...options, onPolicy: (sentence) => tellPolicy(log, sentence) }).catch(
    (error: unknown) => {
      throw gateDoesNotOpen(error);
    },
  );
  for (const warning of store.warnings) log.warn(warning);
  const { gate, queue, marks, feed, lendingLine, serverClock } = store;
  // What is queued stays in Redis, for the next process.
  const parts = {
    ...{ gate, queue, marks, feed, lendingLine },
    ...{ gateClock: serverClock, isGateShared: true, answersQueued: claimDurability !== 'durable' },
  };
  return { parts, isSafe: store.isSafe, drain: async () => 0, close: store.close };
}

function tellPolicy(log: Logger, sentence: string | null): void {
  if (sentence === null) log.info('Redis throws no keys away any more: /readyz says yes again.');
  else log.error(`${sentence} Until then /readyz says no.`);
}
