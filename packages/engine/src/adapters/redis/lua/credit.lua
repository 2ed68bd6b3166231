-- credit: put a move's units into a quota. Atomic; a repeat is harmless.
-- KEYS   meta buyers moves
-- ARGV   server identity deadline_ms epoch move_id channel units
-- REPLY  1 credited | 2 repeated | -1 late | -2 not_ready | -3 bad_argument
-- INCLUDE clock admit numbers
local meta, buyers, moves = KEYS[1], KEYS[2], KEYS[3]
local call = { server = ARGV[1], identity = ARGV[2], deadline_ms = ARGV[3] }
local epoch, move_field, quota_field = ARGV[4], 'credit:' .. ARGV[5], 'available:' .. ARGV[6]
local total_field = 'credited:' .. ARGV[6]
local units = tonumber(ARGV[7])

if not is_units(units) or units == 0 then return -3 end
local refused = admit(call, meta, buyers, epoch)
if refused ~= 0 then return refused end
if redis.call('HEXISTS', moves, move_field) == 1 then return 2 end
local facts = redis.call('HMGET', meta, quota_field, 'generation', total_field)
local available, generation, total = tonumber(facts[1] or 'x'), tonumber(facts[2] or 'x'), tonumber(facts[3] or '0') or 0
if not available or not generation then return -2 end
if not is_units(available + units) then return -3 end

redis.call('HSET', moves, move_field, digits(units))
redis.call('HSET', meta, 'generation', digits(generation + 1), quota_field, digits(available + units),
  total_field, digits(total + units))
return 1
