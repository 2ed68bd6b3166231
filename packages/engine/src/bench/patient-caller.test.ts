import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { type Answer, createDeploymentClient } from './deployment-client.ts';
import { createDice } from './dice.ts';
import { createPatientCaller, isServerError } from './patient-caller.ts';

const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** Speaks to a server that answers with these, and with the last of them for ever. */
async function callerOf(answers: readonly ((response: ServerResponse) => void)[], patienceMs = 5_000) {
  let calls = 0;
  const server = createServer((_request, response) => {
    answers[Math.min(calls++, answers.length - 1)]?.(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = createDeploymentClient({ url, connections: 1 });
  closers.push(
    () => client.close(),
    () => new Promise((resolve) => server.close(resolve)),
  );
  const heard: Answer[] = [];
  const caller = createPatientCaller({
    ...{ client, dice: createDice(1), patienceMs, onRetry: () => {} },
    onAnswer: (_call, answer) => heard.push(answer),
  });
  return { ask: () => caller.ask({ method: 'GET', path: '/' }), heard, calls: () => calls };
}

const says =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  (response: ServerResponse) => {
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
  };
const busy = says(503, { reason: 'busy', retryAfterMs: 20 }, { 'retry-after': '1' });

describe('a patient caller', () => {
  test('comes again when told to, and when the connection broke', async () => {
    const { ask, calls } = await callerOf([busy, (response) => response.destroy(), busy, says(200, { ok: true })]);
    expect(await ask()).toMatchObject({ kind: 'ok' });
    expect(calls()).toBe(4);
  });

  test('takes the word of what stands in front of the deployment', async () => {
    const { ask, calls } = await callerOf([says(503, 'busy', { 'retry-after': '0' }), says(200, {})]);
    expect(await ask()).toMatchObject({ kind: 'ok' });
    expect(calls()).toBe(2);
  });

  test('gives up after its patience, and says what it was told last', async () => {
    const { ask } = await callerOf([busy], 200);
    expect(await ask()).toEqual({ kind: 'gave_up', told: 'busy' });
    const { ask: askNobody } = await callerOf([(response) => response.destroy()], 200);
    expect(await askNobody()).toEqual({ kind: 'gave_up', told: null });
  });

  test('tells what a deployment may never say', async () => {
    const wrong = [
      ...[says(500, { reason: 'internal' }), says(502, 'bad gateway'), says(504, '', { 'retry-after': '1' })],
      says(503, { reason: 'busy' }),
    ];
    for (const answer of wrong) {
      const { ask, heard } = await callerOf([answer, says(200, {})], 2_000);
      await ask();
      expect(heard[0] && isServerError(heard[0])).toBe(true);
    }
    for (const answer of [busy, says(429, { reason: 'rate_limited', retryAfterMs: 1 }), says(404, 'no')]) {
      const { ask, heard } = await callerOf([answer, says(200, {})]);
      await ask();
      expect(heard.map(isServerError)).not.toContain(true);
    }
  });
});
