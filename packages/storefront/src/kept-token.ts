/**
 * The token of a purchase that is not decided yet, kept over a reload: the same token again is the same order, so whoever
 * lost the answer asks again and gets it.
 */
import type { Token } from './api.ts';

export interface KeptToken extends Token {
  /** Units asked for with it: the same token with other units would be refused. */
  readonly units: number;
  /** Until it was used, another number of units may still be asked for. */
  readonly wasSent: boolean;
}

export interface KeptTokens {
  find(saleId: string, nowMs: number): KeptToken | null;
  keep(saleId: string, token: KeptToken): void;
  drop(saleId: string): void;
}

/** Of one buyer: signing in as another must not find them. */
export function createKeptTokens(
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>,
  buyer: string,
): KeptTokens {
  const keyOf = (saleId: string) => `sluice:token:${buyer}:${saleId}`;
  return {
    find(saleId, nowMs) {
      const kept = JSON.parse(storage.getItem(keyOf(saleId)) ?? 'null') as KeptToken | null;
      return kept && nowMs < kept.latestMs ? kept : null;
    },
    keep(saleId, token) {
      storage.setItem(keyOf(saleId), JSON.stringify(token));
    },
    drop(saleId) {
      storage.removeItem(keyOf(saleId));
    },
  };
}
