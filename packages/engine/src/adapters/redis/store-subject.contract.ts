/**
 * The Redis store as the contracts see it. Its clock stands still: in front of every script stands a prelude by which the
 * server's time is what a key says. All else is the server's own.
 */

import type { ClaimMarksSubject } from '../../ports/claim-marks.contract.ts';
import type { StoreSubject } from '../../ports/store-fixture.contract.ts';
import { createManualClock } from '../memory/manual-clock.ts';
import type { RedisServer } from './redis-server.contract.ts';
import { openRedisStore } from './store.ts';

const CLOCK_KEY = 'test:clock';

/** Any time will do that is past: the server takes no delivery time that is to come. */
const STARTS_AT_MS = 1_700_000_000_000;

/**
 * Idle times of the group are told by the real clock, so what is asked of it is moved by how far that is ahead; it waits for
 * the first half of a millisecond, so that none passes between the two looks.
 */
const STILL_CLOCK = `
local server_redis = redis
local redis = setmetatable({}, { __index = server_redis })
local function real_ms()
  local time
  repeat time = server_redis.call('TIME') until tonumber(time[2]) % 1000 < 500
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
redis.call = function(command, ...)
  local told = server_redis.call('GET', '${CLOCK_KEY}')
  local args = { ... }
  if command == 'TIME' then
    return { string.sub(told, 1, -4), string.sub(told, -3) .. '000' }
  elseif command == 'XAUTOCLAIM' then
    args[4] = string.format('%.0f', args[4] + real_ms() - told)
    local reply = server_redis.call(command, unpack(args))
    for _, entry in ipairs(reply[2]) do
      server_redis.call('XCLAIM', args[1], args[2], args[3], 0, entry[1], 'TIME', told, 'JUSTID')
    end
    return reply
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

export function redisStoreSubject(server: () => RedisServer): StoreSubject & ClaimMarksSubject {
  return {
    name: 'Redis',
    async open() {
      const { admin, url, crash, restart } = server();
      const clock = createManualClock(STARTS_AT_MS);
      const tellTime = () => admin.set(CLOCK_KEY, clock.nowMs());
      await admin.flushall();
      await tellTime();
      const store = await openRedisStore({ url, clock, times: PATIENT, prelude: STILL_CLOCK });
      return {
        gate: store.gate,
        queue: store.queue,
        marks: store.marks,
        nowMs: async () => clock.nowMs(),
        async pass(ms) {
          clock.advance(ms);
          await tellTime();
        },
        async lose() {
          const before = await store.gate.identity();
          await crash();
          await restart();
          await tellTime();
          while ((await identityOf(store.gate)) === before || (await identityOf(store.gate)) === null) await pause();
        },
        close: async () => store.close(),
      };
    },
  };
}

async function identityOf(gate: { identity(): Promise<string> }): Promise<string | null> {
  return gate.identity().catch(() => null);
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5));
}
