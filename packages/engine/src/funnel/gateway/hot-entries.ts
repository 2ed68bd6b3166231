/**
 * Hot entries: what every request needs and few changes touch, such as the sale. One loader per key; a stale value is
 * served while it is refreshed ahead of its end, so that dropping the hottest entry costs one load, not one per request.
 * Unknown keys are remembered, too, more briefly.
 */
import type { Clock } from '../../ports/clock.ts';

export interface HotEntries<Value> {
  /** Null: there is no such thing. Throws what the loader threw when there is nothing older to serve. */
  get(key: string): Promise<Value | null>;
  /** The next `get` loads anew: for the one who changed it. */
  drop(key: string): void;
}

export interface HotEntriesOptions {
  /** After this long an entry is refreshed, while its value goes on being served. */
  readonly freshMs: number;
  /** After this long it is not served any more: the loader has failed for too long. */
  readonly staleMs: number;
  /** Keys kept; the one that was loaded longest ago makes room. */
  readonly maxKeys: number;
}

interface Entry<Value> {
  value: Value | null;
  loadedAtMs: number;
  loading: Promise<Value | null> | null;
}

export function createHotEntries<Value>(
  clock: Clock,
  load: (key: string) => Promise<Value | null>,
  options: HotEntriesOptions,
): HotEntries<Value> {
  const entries = new Map<string, Entry<Value>>();

  function refresh(key: string, entry: Entry<Value>): Promise<Value | null> {
    entry.loading ??= load(key)
      .then((value) => {
        entry.value = value;
        entry.loadedAtMs = clock.monotonicMs();
        return value;
      })
      .finally(() => {
        entry.loading = null;
      });
    return entry.loading;
  }

  function admit(key: string): Entry<Value> {
    const oldest = entries.keys().next();
    if (entries.size >= options.maxKeys && !oldest.done) entries.delete(oldest.value);
    const entry = { value: null, loadedAtMs: Number.NEGATIVE_INFINITY, loading: null };
    entries.set(key, entry);
    return entry;
  }

  return {
    async get(key) {
      const entry = entries.get(key) ?? admit(key);
      const ageMs = clock.monotonicMs() - entry.loadedAtMs;
      if (ageMs < options.freshMs) return entry.value;
      const refreshed = refresh(key, entry);
      if (ageMs >= options.staleMs) return refreshed;
      // Served stale; a failed refresh is tried again by the next caller.
      refreshed.catch(() => undefined);
      return entry.value;
    },
    drop(key) {
      entries.delete(key);
    },
  };
}
