import { describe, expect, test } from 'vitest';
import type { ClaimRequest } from '../../ports/gate.ts';
import { readAnswers, writeClaims } from './claim-call.ts';

const SEGMENT = { saleId: 'sale', region: 'home', segment: 3 };
let made = 0;
const request = (wanted: Partial<ClaimRequest> = {}): ClaimRequest => {
  made += 1;
  return { orderId: `order-${made}`, buyerId: `buyer-${made}`, channel: 'web', units: 1, ...wanted };
};

describe('a claim call', () => {
  test('writes claims beside each other that want the same as one run', () => {
    const wanted = [{}, {}, { units: 2 }, { channel: 'app' }, { channel: 'app', isForLateMoney: true }, {}];
    const { runs } = writeClaims(wanted.map(request));
    expect(runs).toEqual([
      ...['web', 0, 1, 2],
      ...['web', 0, 2, 1],
      ...['app', 0, 1, 1],
      ...['app', 1, 1, 1],
      ...['web', 0, 1, 1],
    ]);
  });

  test('writes any text as the server reads it: half a character does not spoil the call, nor does what looks like one', () => {
    const { buyer_ids } = writeClaims(
      ['\ud83d', 'a\udc00b', '\\ud83d', '👍', '"\n'].map((buyerId) => request({ buyerId })),
    );
    expect(buyer_ids).not.toMatch(/(?<!\\)\\ud/);
    expect(JSON.parse(buyer_ids)).toEqual(['\ufffd', 'a\ufffdb', '\\ud83d', '👍', '"\n']);
  });

  test('gives each claim of a run the next seq, and the answer of a run to all of it', () => {
    const asked = Array.from({ length: 6 }, () => request());
    const outcomes = readAnswers(SEGMENT, asked, ['7', '5', 2, 41, 1, -8, 1, 43, 2, [1]]);
    expect(outcomes.map(({ kind }) => kind)).toEqual([
      ...['claimed', 'claimed', 'dry', 'claimed'],
      ...['not_enough_left', 'not_enough_left'],
    ]);
    const seqs = outcomes.flatMap((outcome) => (outcome.kind === 'claimed' ? [outcome.claim.origin] : []));
    expect(seqs.map(({ epoch, seq }) => `${epoch}-${seq}`)).toEqual(['7-41', '7-42', '7-43']);
    expect(outcomes[3]).toMatchObject({ claim: { orderId: asked[3]?.orderId, buyerId: asked[3]?.buyerId } });
  });

  test('takes no reply for whole that leaves a claim out, or answers one more', () => {
    const asked = [request(), request()];
    for (const length of [1, 3]) expect(() => readAnswers(SEGMENT, asked, ['1', '0', length, 1])).toThrow();
  });
});
