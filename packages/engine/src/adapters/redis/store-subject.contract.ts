/**
 * The Redis store as the contracts see it. Its clock stands still: in front of every script stands a prelude that tells the
 * time. All else is the server's own.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { ClaimMarksSubject } from '../../ports/claim-marks.contract.ts';
import type { Gate } from '../../ports/gate.ts';
import type { StoreSubject } from '../../ports/store-fixture.contract.ts';
import { createManualClock } from '../memory/manual-clock.ts';
import type { RedisServer } from './redis-server.contract.ts';
import { openRedisStore } from './store.ts';
import { TEST_LEDGER } from './test-names.contract.ts';

/** Any time will do that is past: the server takes no delivery time that is to come. */
const STARTS_AT_MS = 1_700_000_000_000;

/**
 * Idle times of the group are told by the real clock, so what is asked of it is moved by how far that is ahead; it waits for
 * the first half of a millisecond, so that none passes between the two looks.
 */
const stillClock = (nowMs: number) => `
local told = '${nowMs}'
local server_redis = redis
local redis = setmetatable({}, { __index = server_redis })
local function real_ms()
  local time
  repeat time = server_redis.call('TIME') until tonumber(time[2]) % 1000 < 500
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
redis.call = function(command, ...)
  local args = { ... }
  if command == 'TIME' then
    return { string.sub(told, 1, -4), string.sub(told, -3) .. '000' }
  elseif command == 'XPENDING' then
    local ahead_ms = real_ms() - told
    if args[3] == 'IDLE' then args[4] = string.format('%.0f', args[4] + ahead_ms) end
    local found = server_redis.call(command, unpack(args))
    for _, each in ipairs(found) do each[3] = each[3] - ahead_ms end
    return found
  elseif command == 'XCLAIM' then
    args[4] = string.format('%.0f', args[4] + real_ms() - told)
    args[#args + 1], args[#args + 2] = 'TIME', told
    return server_redis.call(command, unpack(args))
  elseif command == 'XREADGROUP' then
    local reply = server_redis.call(command, ...)
    for _, entry in ipairs(reply and reply[1][2] or {}) do
      server_redis.call('XCLAIM', reply[1][1], args[2], args[3], 0, entry[1], 'TIME', told, 'JUSTID')
    end
    return reply
  end
  return server_redis.call(command, ...)
end
`;

const PATIENT = { commandMs: 10_000, connectMs: 10_000 };

/** A server, or several that are one to the store. */
export interface RedisDeployment {
  readonly url: string;
  /** Connections to all that hold data. */
  readonly admins: readonly Redis[];
  /** All end, and come back without what they held. */
  lose(): Promise<void>;
}

export const oneServer = ({ url, admin, crash, restart }: RedisServer): RedisDeployment => ({
  url,
  admins: [admin],
  async lose() {
    await crash();
    await restart();
  },
});

export function redisStoreSubject(deployment: () => RedisDeployment, name = 'Redis'): StoreSubject & ClaimMarksSubject {
  return {
    name,
    async open() {
      const { admins, url, lose } = deployment();
      const clock = createManualClock(STARTS_AT_MS);
      for (const admin of admins) await admin.flushall();
      const store = await openRedisStore({
        ledgerId: TEST_LEDGER,
        url,
        clock,
        times: PATIENT,
        prelude: () => stillClock(clock.nowMs()),
      });
      return {
        gate: store.gate,
        queue: store.queue,
        marks: store.marks,
        nowMs: async () => clock.nowMs(),
        async pass(ms) {
          clock.advance(ms);
        },
        async lose() {
          const before = await identitiesOf(store.gate);
          await lose();
          for (;;) {
            const now = await identitiesOf(store.gate);
            if (now.every((identity, at) => identity !== null && identity !== before[at])) return;
            await pause(5);
          }
        },
        close: async () => store.close(),
      };
    },
  };
}

/** Of so many segments that each master has some. */
function identitiesOf(gate: Gate): Promise<readonly (string | null)[]> {
  const segments = Array.from({ length: 16 }, (_, segment) => ({ saleId: 'any', region: 'main', segment }));
  return Promise.all(segments.map((segment) => gate.identity(segment).catch(() => null)));
}
