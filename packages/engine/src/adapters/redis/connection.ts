/**
 * One connection to a master. It promises: `identity` is that of the very server at the other end of the socket, read anew
 * after each connect, and nothing is sent before it is known, nor to a server that is another's replica; a call is carried out, not carried out
 * (`gate_unavailable`) or unknown (`outcome_unknown`), and never sent twice but for a script that the server did not know.
 */
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Fault } from '../../domain/fault.ts';
import { InvariantError, invariant } from '../../domain/invariant.ts';
import type { RedisAddress } from './address.ts';
import { CLIENT_TIMES, type ClientTimes, closeClient, createClient, nameOfAddress } from './client.ts';
import { meetServer } from './meet-server.ts';
import { faultOf, isDamage, isElsewhere, isUnknownScript } from './redis-error.ts';
import type { Argument, ArgumentsOf, KeysOf, Script, WordOf } from './script.ts';

export interface ConnectionOptions {
  readonly address: RedisAddress;
  readonly times?: ClientTimes;
  /** Lua in front of every script. */
  readonly prelude?: () => string;
  /** It may not be the one to call any more: it was lost, or says so. */
  readonly onDoubt?: () => void;
  /** Of a Cluster. */
  readonly isNode?: boolean;
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
  /** Resolves at the first connect; throws when it fails. Others are tried for without end. */
  opened(): Promise<void>;
  /** How far the server's clock is ahead of this machine's; null before it was met. */
  readonly clockOffsetMs: number | null;
  run<Called extends Script>(script: Called, call: ScriptCall<Called>): Promise<ScriptReply<Called>>;
  command(name: string, ...args: readonly Argument[]): Promise<unknown>;
  close(): void;
}

/** A dead socket is found by a call that gets no answer: at most this and the time-out of a command later. */
const HEARTBEAT_MS = 1_000;
/** A server that may not be written to may become the one that may: it is not asked in a circle. */
const NOT_OURS_MS = 200;
/** Sentinels are asked one after the other; how often the time of one connect that may take. */
export const OPEN_ATTEMPTS = 3;

export async function openConnection(options: ConnectionOptions): Promise<RedisConnection> {
  const connection = createConnection(options);
  try {
    await connection.opened();
  } catch (error) {
    connection.close();
    throw error;
  }
  return connection;
}

export function createConnection(options: ConnectionOptions): RedisConnection {
  const { address, times = CLIENT_TIMES, prelude = () => '', onDoubt = () => {}, isNode = false } = options;
  const client = createClient(address, times);
  const texts = createScriptTexts(prelude);
  let identity: string | null = null;
  let clockOffsetMs: number | null = null;
  let lastError: Error | null = null;
  let opening: Promise<void> | null = null;
  client.on('error', (error) => {
    lastError = error;
  });

  async function meet(): Promise<void> {
    const met = await meetServer(client, isNode);
    identity = met.identity;
    clockOffsetMs = met.clockOffsetMs;
  }
  // Whatever fails here closes the socket, and what opens the next one comes by again.
  async function meetOrLeave(): Promise<void> {
    try {
      await meet();
    } catch (error) {
      identity = null;
      if (error instanceof Fault) await pause(NOT_OURS_MS);
      client.disconnect(true);
    }
  }
  client.on('ready', () => void meetOrLeave());
  client.on('close', () => {
    identity = null;
    onDoubt();
  });

  const heartbeat = setInterval(() => {
    if (identity !== null) void meetOrLeave();
  }, HEARTBEAT_MS);
  heartbeat.unref();

  async function open(): Promise<void> {
    try {
      await within(OPEN_ATTEMPTS * times.connectMs, client.connect());
      await meet();
    } catch (error) {
      throw cannotReach(address, error instanceof Fault ? error : (lastError ?? error));
    }
  }

  async function send<Answer>(write: () => Promise<Answer>): Promise<Answer> {
    if (identity === null) throw new Fault('gate_unavailable', 'There is no connection to Redis.');
    return write();
  }

  function refused(error: unknown): Error {
    if (isElsewhere(error)) onDoubt();
    return faultOf(error);
  }

  return {
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
        throw refused(error);
      }
    },
    async command(name, ...args) {
      try {
        return await send(() => client.call(name, ...args));
      } catch (error) {
        throw refused(error);
      }
    },
    opened() {
      opening ??= open();
      return opening;
    },
    close() {
      clearInterval(heartbeat);
      closeClient(client);
    },
  };
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

interface ScriptText {
  readonly before: string;
  readonly lua: string;
  readonly sha: string;
}

function createScriptTexts(prelude: () => string): (script: Script) => ScriptText {
  const known = new Map<string, ScriptText>();
  return (script) => {
    const before = prelude();
    const text = known.get(script.name);
    if (text?.before === before) return text;
    const lua = before + script.lua;
    const added = { before, lua, sha: createHash('sha1').update(lua).digest('hex') };
    known.set(script.name, added);
    return added;
  };
}

function cannotReach(address: RedisAddress, error: unknown): Fault {
  const reason = error instanceof Error ? error.message : String(error);
  return new Fault('gate_unavailable', `${nameOfAddress(address)} cannot be reached: ${reason}`, error);
}

async function within<Answer>(ms: number, answer: Promise<Answer>): Promise<Answer> {
  const given = new AbortController();
  try {
    const late = pause(ms, null, { signal: given.signal }).then(() => {
      throw new Error(`no answer within ${ms} ms`);
    });
    return await Promise.race([
      answer,
      late.catch((error: unknown) => (given.signal.aborted ? answer : Promise.reject(error))),
    ]);
  } finally {
    given.abort();
  }
}
