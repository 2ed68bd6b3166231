import { describe, expect, test } from 'vitest';
import type { KeptAnswer, KeyBounds, KeyedCall } from '../domain/idempotency/keyed-call.ts';
import type { Ledger } from './ledger.ts';

const BOUNDS: KeyBounds = { lifeMs: 60_000, takeOverMs: 30_000, maxKeys: null };

const ANSWER: KeptAnswer = { status: 200, mediaType: 'application/json', language: null, body: '{"words":"皮肤"}' };

let lastNumber = 0;

function newCall(changes: Partial<KeyedCall> = {}): KeyedCall {
  lastNumber += 1;
  return {
    ...{ scope: `scope-${lastNumber}`, key: 'key', fingerprint: 'asked', holder: `holder-${lastNumber}`, ...changes },
  };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

export function idempotencyContract(ledger: () => Ledger): void {
  const store = () => ledger().idempotency;

  describe('idempotency keys', () => {
    test('are reserved once, and answered with what was kept', async () => {
      const first = newCall();
      const second = { ...first, holder: 'another' };
      expect(await store().reserve(first, BOUNDS)).toEqual({ kind: 'reserved' });
      expect(await store().reserve(second, BOUNDS)).toEqual({ kind: 'in_hand' });
      await store().keep(first, ANSWER);
      expect(await store().reserve(second, BOUNDS)).toEqual({ kind: 'answered', answer: ANSWER });
      const answer = { ...ANSWER, language: 'zh', status: 404 };
      await store().keep(first, answer);
      expect(await store().reserve(second, BOUNDS)).toEqual({ kind: 'answered', answer: ANSWER });
    });

    test('go to one of many who ask at once', async () => {
      const call = newCall();
      const holders = Array.from({ length: 20 }, (_, index) => ({ ...call, holder: `holder-${index}` }));
      const kinds = (await Promise.all(holders.map((each) => store().reserve(each, BOUNDS)))).map(({ kind }) => kind);
      expect(kinds.filter((kind) => kind === 'reserved')).toHaveLength(1);
      expect(kinds.filter((kind) => kind === 'in_hand')).toHaveLength(19);
    });

    test('are refused to whoever asks for something else, in hand and answered', async () => {
      const first = newCall();
      const other = { ...first, holder: 'another', fingerprint: 'other' };
      await store().reserve(first, BOUNDS);
      expect(await store().reserve(other, BOUNDS)).toEqual({ kind: 'differs' });
      await store().keep(first, ANSWER);
      expect(await store().reserve(other, BOUNDS)).toEqual({ kind: 'differs' });
    });

    test('belong to their scope, letter by letter', async () => {
      const first = newCall({ key: 'Key' });
      await store().reserve(first, BOUNDS);
      for (const other of [{ key: 'key' }, { key: 'Key ' }, { scope: newCall().scope }]) {
        expect(await store().reserve({ ...first, ...other, holder: 'another' }, BOUNDS)).toEqual({ kind: 'reserved' });
      }
    });

    test('are reserved again by their own holder, whose answer was lost', async () => {
      const call = newCall();
      await store().reserve(call, BOUNDS);
      expect(await store().reserve(call, BOUNDS)).toEqual({ kind: 'reserved' });
    });

    test('that are let go are free, unless they are answered', async () => {
      const first = newCall();
      const second = { ...first, holder: 'another' };
      await store().reserve(first, BOUNDS);
      await store().letGo(second);
      expect(await store().reserve(second, BOUNDS)).toEqual({ kind: 'in_hand' });
      await store().letGo(first);
      expect(await store().reserve(second, BOUNDS)).toEqual({ kind: 'reserved' });
      await store().keep(second, ANSWER);
      await store().letGo(second);
      expect(await store().reserve(first, BOUNDS)).toEqual({ kind: 'answered', answer: ANSWER });
    });

    test('whose holder died are taken over, and the dead keep nothing', async () => {
      const first = newCall();
      const second = { ...first, holder: 'another' };
      await store().reserve(first, BOUNDS);
      await pause(20);
      expect(await store().reserve(second, { ...BOUNDS, takeOverMs: 10 })).toEqual({ kind: 'reserved' });
      await store().keep(first, { ...ANSWER, status: 500 });
      await store().letGo(first);
      expect(await store().reserve(first, BOUNDS)).toEqual({ kind: 'in_hand' });
      await store().keep(second, ANSWER);
      expect(await store().reserve(first, BOUNDS)).toEqual({ kind: 'answered', answer: ANSWER });
    });

    test('are forgotten after their life', async () => {
      const first = newCall();
      await store().reserve(first, BOUNDS);
      await store().keep(first, ANSWER);
      await pause(20);
      const other = { ...first, holder: 'another', fingerprint: 'other' };
      expect(await store().reserve(other, { ...BOUNDS, lifeMs: 10 })).toEqual({ kind: 'reserved' });
      expect(await store().reserve(first, BOUNDS)).toEqual({ kind: 'differs' });
    });

    test('make room, oldest first, and only in their scope', async () => {
      const elsewhere = newCall();
      await store().reserve(elsewhere, BOUNDS);
      await store().keep(elsewhere, ANSWER);
      const { scope } = newCall();
      const calls = ['a', 'b', 'c'].map((key) => newCall({ scope, key }));
      for (const call of calls) {
        await store().reserve(call, { ...BOUNDS, maxKeys: 2 });
        await store().keep(call, ANSWER);
        await pause(2);
      }
      const kinds = [];
      for (const { key } of [...calls].reverse()) {
        kinds.push((await store().reserve(newCall({ scope, key }), BOUNDS)).kind);
      }
      expect(kinds).toEqual(['answered', 'answered', 'reserved']);
      expect((await store().reserve({ ...elsewhere, holder: 'another' }, BOUNDS)).kind).toBe('answered');
    });
  });
}
