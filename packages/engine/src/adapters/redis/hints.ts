/**
 * Hints between processes over pub/sub: that there is something to read, that orders changed. Nothing rests on them: one that
 * is lost is made up for by polling.
 */
import type { Redis } from 'ioredis';
import type { RedisAddress } from './address.ts';
import { CLIENT_TIMES, type ClientTimes, closeClient, createClient } from './client.ts';

export interface Hints {
  /** `listener` also hears once after each reconnect, with null: something may have been missed. */
  on(channel: string, listener: (text: string | null) => void): () => void;
  /** To the other processes. */
  publish(channel: string, text: string): void;
  close(): void;
}

export async function openHints(address: RedisAddress, times: ClientTimes = CLIENT_TIMES): Promise<Hints> {
  const publisher = createClient(address, times);
  const subscriber = createClient(address, times);
  const listeners = new Map<string, Set<(text: string | null) => void>>();

  function tell(channel: string, text: string | null): void {
    for (const listener of listeners.get(channel) ?? []) listener(text);
  }

  async function subscribe(): Promise<void> {
    const channels = [...listeners.keys()];
    if (channels.length === 0) return;
    await subscriber.subscribe(...channels);
    for (const channel of channels) tell(channel, null);
  }
  // The next connection comes by here again.
  const subscribeOrLeave = () => subscribe().catch(() => subscriber.disconnect(true));

  subscriber.on('ready', () => void subscribeOrLeave());
  subscriber.on('message', tell);
  await Promise.all([publisher, subscriber].map(connectLater));

  return {
    on(channel, listener) {
      const known = listeners.get(channel);
      const all = known ?? new Set();
      listeners.set(channel, all.add(listener));
      if (!known && subscriber.status === 'ready') void subscribeOrLeave();
      return () => {
        all.delete(listener);
      };
    },
    publish(channel, text) {
      // A hint that cannot be told now is polled for.
      publisher.publish(channel, text).catch(() => {});
    },
    close() {
      for (const client of [publisher, subscriber]) closeClient(client);
    },
  };
}

/** Hints may come later than everything else: who waits for them polls. */
async function connectLater(client: Redis): Promise<void> {
  await client.connect().catch(() => {});
}
