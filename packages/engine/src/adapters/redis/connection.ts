/**
 * One connection to the gate's server. It promises: `identity` is the run id of the very server at the other end of the
 * socket, read anew after each connect, and nothing is sent before it is known; a call is carried out, not carried out
 * (`gate_unavailable`) or unknown (`outcome_unknown`), and never sent twice but for a script that the server did not know.
 */
import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Redis } from 'ioredis';
import { Fault } from '../../domain/fault.ts';
import { InvariantError, invariant } from '../../domain/invariant.ts';
import { CLIENT_TIMES, type ClientTimes, createClient } from './client.ts';
import { faultOf, isDamage, isUnknownScript } from './redis-error.ts';
import type { Argument, ArgumentsOf, KeysOf, Script, WordOf } from './script.ts';

export interface ConnectionOptions {
  readonly url: string;
  readonly times?: ClientTimes;
  /** Lua in front of every script. */
  readonly prelude?: string;
}

export interface ScriptCall<Called extends Script> {
  readonly keys: KeysOf<Called>;
  readonly arguments: ArgumentsOf<Called>;
  readonly more?: readonly Argument[];
}

export type ScriptReply<Called extends Script> = WordOf<Called> | readonly unknown[];

export interface RedisConnection {
  /** Throws `gate_unavailable` while there is no server. */
  identity(): string;
  /** How far the server's clock is ahead of this machine's. */
  readonly clockOffsetMs: number;
  run<Called extends Script>(script: Called, call: ScriptCall<Called>): Promise<ScriptReply<Called>>;
  command(name: string, ...args: readonly Argument[]): Promise<unknown>;
  close(): void;
}

/** A dead socket is found by a call that gets no answer: at most this and the time-out of a command later. */
const HEARTBEAT_MS = 1_000;

export async function openConnection({
  url,
  times = CLIENT_TIMES,
  prelude = '',
}: ConnectionOptions): Promise<RedisConnection> {
  const client = createClient(url, times);
  const texts = createScriptTexts(prelude);
  let identity: string | null = null;
  let clockOffsetMs = 0;

  async function meet(): Promise<void> {
    const sentAtMs = performance.now();
    const [info, time] = await Promise.all([client.info('server'), client.time()]);
    const roundTripMs = performance.now() - sentAtMs;
    identity = /^run_id:(\w+)/m.exec(info)?.[1] ?? null;
    const [seconds = 0, micros = 0] = time.map(Number);
    clockOffsetMs = Math.round(seconds * 1_000 + micros / 1_000 + roundTripMs / 2 - Date.now());
  }
  // Whatever fails here closes the socket, and what opens the next one comes by again.
  const meetOrLeave = () => meet().catch(() => client.disconnect(true));
  client.on('ready', () => void meetOrLeave());
  client.on('close', () => {
    identity = null;
  });
  // Told to whoever calls; without a listener it would end the process.
  client.on('error', () => {});

  const heartbeat = setInterval(() => {
    if (identity !== null) void meetOrLeave();
  }, HEARTBEAT_MS);
  heartbeat.unref();

  async function send<Answer>(write: () => Promise<Answer>): Promise<Answer> {
    if (identity === null) throw new Fault('gate_unavailable', 'There is no connection to Redis.');
    return write();
  }

  const connection: RedisConnection = {
    identity() {
      if (identity === null) throw new Fault('gate_unavailable', 'There is no connection to Redis.');
      return identity;
    },
    get clockOffsetMs() {
      return clockOffsetMs;
    },
    async run(script, call) {
      const { lua, sha } = texts(script);
      const parameters = parametersOf(script, call);
      const meant = identity;
      try {
        const reply = await send(() => client.evalsha(sha, script.keys.length, ...parameters)).catch(
          (error: unknown) => {
            // Not carried out, so it may be sent again; not to another server, which the arguments do not mean.
            if (!isUnknownScript(error)) throw error;
            if (identity !== meant) throw new Fault('gate_unavailable', undefined, error);
            return client.eval(lua, script.keys.length, ...parameters);
          },
        );
        return meaningOf(script, reply);
      } catch (error) {
        const word = script.words['-2'] ?? script.words['0'];
        if (isDamage(error) && word !== undefined) return word as WordOf<typeof script>;
        throw faultOf(error);
      }
    },
    async command(name, ...args) {
      try {
        return await send(() => client.call(name, ...args));
      } catch (error) {
        throw faultOf(error);
      }
    },
    close() {
      clearInterval(heartbeat);
      client.disconnect();
    },
  };

  try {
    await client.connect();
    await meet();
  } catch (error) {
    connection.close();
    throw cannotReach(client, error);
  }
  return connection;
}

function parametersOf<Called extends Script>(script: Called, call: ScriptCall<Called>): Argument[] {
  const { keys, arguments: given, more = [] } = call as ScriptCall<Script>;
  invariant(script.takesMore || more.length === 0, `${script.name} takes what its head names`);
  return [
    ...script.keys.map((name) => givenIn(keys, name)),
    ...script.arguments.map((name) => givenIn(given, name)),
    ...more,
  ];
}

function givenIn<Value>(values: Readonly<Record<string, Value>>, name: string): Value {
  const value = values[name];
  invariant(value !== undefined, `${name} is given`);
  return value;
}

function meaningOf<Called extends Script>(script: Called, reply: unknown): ScriptReply<Called> {
  if (Array.isArray(reply)) return reply;
  const word = script.words[String(reply)];
  if (word === undefined) throw new InvariantError(`${script.name} answers as its head says, and not ${String(reply)}`);
  return word as WordOf<Called>;
}

function createScriptTexts(prelude: string): (script: Script) => { readonly lua: string; readonly sha: string } {
  const known = new Map<string, { readonly lua: string; readonly sha: string }>();
  return (script) => {
    const text = known.get(script.name);
    if (text) return text;
    const lua = prelude + script.lua;
    const added = { lua, sha: createHash('sha1').update(lua).digest('hex') };
    known.set(script.name, added);
    return added;
  };
}

function cannotReach({ options }: Redis, error: unknown): Fault {
  const reason = error instanceof Error ? error.message : String(error);
  return new Fault('gate_unavailable', `Redis at ${options.host}:${options.port} cannot be reached: ${reason}`, error);
}
