-- set-terms: change what claims are judged by. Older terms never replace newer ones.
-- KEYS   meta buyers
-- ARGV   server identity deadline_ms epoch version state starts_ms ends_ms limit
-- REPLY  1 set | 2 stale | -1 late | -2 not_ready | -3 bad_argument
-- INCLUDE clock admit numbers
local meta, buyers = KEYS[1], KEYS[2]
local call = { server = ARGV[1], identity = ARGV[2], deadline_ms = ARGV[3] }
local epoch, version, state = ARGV[4], tonumber(ARGV[5]), ARGV[6]
local starts_ms, ends_ms, limit = tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9])

if not (is_units(version) and starts_ms and ends_ms and is_units(limit)) then return -3 end
local refused = admit(call, meta, buyers, epoch)
if refused ~= 0 then return refused end
local facts = redis.call('HMGET', meta, 'version', 'state', 'starts_ms', 'ends_ms', 'limit', 'generation')
local known_version, generation = tonumber(facts[1] or 'x'), tonumber(facts[6] or 'x')
if not known_version or not generation then return -2 end
if version < known_version then return 2 end

local is_same = version == known_version and state == facts[2] and starts_ms == tonumber(facts[3])
  and ends_ms == tonumber(facts[4]) and limit == tonumber(facts[5])
if is_same then return 1 end
-- Which change of window or limit lets somebody buy need not be told apart: one generation too many costs a look.
if state == 'live' then generation = generation + 1 end
redis.call('HSET', meta, 'version', digits(version), 'state', state, 'starts_ms', digits(starts_ms),
  'ends_ms', digits(ends_ms), 'limit', digits(limit), 'generation', digits(generation))
return 1
