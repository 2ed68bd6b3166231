/**
 * Keys of a segment whose sale is settled: nothing is asked of them any more, so they go by themselves. Those of a limit group
 * stay, for the gates of its other sales count the buyers that are in them.
 */
import type { SegmentKeys } from './keys.ts';
import type { SegmentPlace } from './layout.ts';

/** A ledger that came back as it was before it settled the sale meets its gate as it left it, for as long as this. */
const KEPT_MS = 24 * 60 * 60_000;

export async function letGo({ keys, connection }: SegmentPlace): Promise<void> {
  if (isOfGroup(keys)) return;
  await Promise.all(lastingKeys(keys).map((key) => connection.command('PEXPIRE', key, KEPT_MS)));
}

/** It may sell again: nothing of it may go in the midst of that. */
export async function keep({ keys, connection }: SegmentPlace): Promise<void> {
  await Promise.all(lastingKeys(keys).map((key) => connection.command('PERSIST', key)));
}

function isOfGroup({ sales, meta }: SegmentKeys): boolean {
  return sales !== meta;
}

function lastingKeys(keys: SegmentKeys): readonly string[] {
  const { meta, buyers, stream, again, divided, loose, released, moves, buried } = keys;
  return [meta, buyers, stream, again, divided, loose, released, moves, buried];
}
