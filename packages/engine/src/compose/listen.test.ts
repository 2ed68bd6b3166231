import { Agent, get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type HttpWorld, newHttpWorld } from '../http/http-world.contract.ts';
import { type Listeners, listen } from './listen.ts';

let world: HttpWorld;
const sockets: Socket[] = [];

beforeEach(async () => {
  world = await newHttpWorld();
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await world.close();
});

const KEY = 'a-key-of-32-characters-or-a-little-more';

function open(graceMs: number, maxConnections = 0): Promise<Listeners> {
  const { engine, clock } = world;
  const deps = { engine, clock, identity: { identify: () => null }, trustedProxies: [], isReady: () => true };
  const place = { host: '127.0.0.1', port: 0, maxConnections };
  return listen(place, { ...deps, adminKey: KEY, serverKey: KEY, logger: false }, graceMs);
}

/** The connection header of an answer; throws what befell the connection instead. */
function ask(url: string, agent: Agent): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    get(`${url}/livez`, { agent }, (response) => {
      response.resume().once('end', () => resolve(response.headers.connection));
    }).once('error', reject);
  });
}

async function silentConnection(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => {});
  await new Promise((resolve) => socket.once('connect', resolve));
  return socket;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('listeners that close', () => {
  test('answer on kept and on new connections for a grace time, and end early when nobody is left', async () => {
    const { url, close } = await open(10_000);
    const kept = new Agent({ keepAlive: true, maxSockets: 1 });
    expect(await ask(url, kept)).toBe('keep-alive');
    const began = performance.now();
    const closed = close();
    await pause(100);
    expect(await ask(url, new Agent())).toBe('close');
    expect(await ask(url, kept)).toBe('close');
    await closed;
    expect(performance.now() - began).toBeLessThan(5_000);
    await expect(ask(url, kept)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('do not wait for a connection that says nothing, whenever it came', async () => {
    const { url, close } = await open(300);
    await silentConnection(url);
    await pause(50);
    const began = performance.now();
    const closed = close();
    await pause(50);
    await silentConnection(url);
    await closed;
    expect(performance.now() - began).toBeLessThan(3_000);
  });

  test('do not wait for one that is idle', async () => {
    const { url, close } = await open(100);
    await ask(url, new Agent({ keepAlive: true }));
    const began = performance.now();
    await close();
    expect(performance.now() - began).toBeLessThan(3_000);
  });
});

describe('listeners', () => {
  test('hold so many connections and no more, and have room again when one ends', async () => {
    const { url, close } = await open(0, 2);
    const [first] = [await silentConnection(url), await silentConnection(url)];
    const agent = new Agent({ keepAlive: false });
    await expect(ask(url, agent)).rejects.toThrow();
    first.destroy();
    await expect.poll(() => ask(url, agent).catch(() => null)).toBe('close');
    await close();
  });
});
