import { REASONS, type Reason } from '@sluice/contract/codes';
import { describe, expect, it } from 'vitest';
import type { Bought, Order, Reply } from './api.ts';
import { createKeptTokens } from './kept-token.ts';
import { buy, follow } from './purchase-flow.ts';

function newPage(answers: Reply<Bought>[]) {
  const stored = new Map<string, string>();
  const storage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  };
  const sent: string[] = [];
  let issued = 0;
  const api = {
    async token(_jwt: string, saleId: string) {
      const token = `token-${++issued}`;
      return { kind: 'answer' as const, value: { token, orderId: `order-of-${token}-${saleId}`, latestMs: 1_000 } };
    },
    async purchase(_jwt: string, _saleId: string, { token, units }: { token: string; units: number }) {
      sent.push(`${token} x ${units}`);
      return answers.shift() ?? { kind: 'unclear' as const };
    },
  };
  /** Each press as after a reload: nothing is remembered but what was stored. */
  const press = (units: number, buyer = 'ann', nowMs = 0) =>
    buy({ api, tokens: createKeptTokens(storage, buyer), jwt: buyer, nowMs }, 'sale', units);
  return { press, sent };
}

const refused = (reason: Reason): Reply<never> => ({ kind: 'refused', reason, retryAfterMs: 0 });
const bought: Reply<Bought> = {
  kind: 'answer',
  value: { orderId: 'order', status: 'pending', units: 1, receipt: null },
};

describe('a press of the button', () => {
  it('asks for the same order again when the answer was lost, whatever number stands there now', async () => {
    const { press, sent } = newPage([{ kind: 'unclear' }, refused('busy'), refused('internal'), bought, bought]);
    const kinds = [];
    for (const units of [1, 2, 2, 2, 2]) kinds.push((await press(units)).kind);
    expect(kinds).toEqual(['unclear', 'refused', 'refused', 'bought', 'bought']);
    expect(sent).toEqual(['token-1 x 1', 'token-1 x 1', 'token-1 x 1', 'token-1 x 1', 'token-2 x 2']);
  });

  it.each(Object.keys(REASONS) as Reason[])('keeps or drops its token as %s asks for', async (reason) => {
    const { press, sent } = newPage([refused(reason), bought]);
    await press(1);
    await press(2);
    const { retry, status } = REASONS[reason];
    const isJudged = status < 500;
    const isKept = !isJudged || retry === 'then' || retry === 'perhaps';
    expect(sent[1]).toBe(`${isKept ? 'token-1' : 'token-2'} x ${isJudged ? 2 : 1}`);
  });

  it('does not use the token of another buyer, nor one that is over', async () => {
    const { press, sent } = newPage([]);
    await press(1, 'ann');
    await press(1, 'bob');
    await press(1, 'ann', 1_000);
    expect(sent).toEqual(['token-1 x 1', 'token-2 x 1', 'token-3 x 1']);
  });
});

describe('an order that is on its way', () => {
  const queued: Bought = { orderId: 'order', status: 'queued', units: 1, receipt: 'proof' };
  const answerOf = (status: Order['status']): Reply<Order> => ({ kind: 'answer', value: { ...queued, status } });

  function followThrough(answers: readonly Reply<Order>[]) {
    const asked: (string | null)[] = [];
    const api = {
      async order(_jwt: string, _orderId: string, receipt: string | null) {
        return answers[asked.push(receipt) - 1] ?? answerOf('queued');
      },
    };
    const isOnItsWay = ({ status }: Order) => status === 'queued';
    return { asked, became: follow({ api, jwt: 'ann', pause: async () => {}, isOnItsWay }, queued) };
  }

  it('is asked for with its receipt, so that it is heard of when it is lost', async () => {
    const { asked, became } = followThrough([
      answerOf('queued'),
      { kind: 'unclear' },
      refused('busy'),
      answerOf('lost'),
    ]);
    expect(await became).toMatchObject({ status: 'lost' });
    expect(asked).toEqual(['proof', 'proof', 'proof', 'proof']);
  });

  it('is not asked for without end', async () => {
    const { asked, became } = followThrough([]);
    expect(await became).toBeNull();
    expect(asked).toHaveLength(30);
  });
});
