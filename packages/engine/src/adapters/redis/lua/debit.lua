-- debit: take what a quota has, up to what is asked for, out of it. The figure is remembered by the move, and told again.
-- KEYS   meta buyers moves
-- ARGV   server identity deadline_ms epoch move_id channel units
-- REPLY  -1 late | -2 not_ready | -3 bad_argument | {is_repeated units}
-- Units: at the most; `all` takes all there are. A move that finds nothing is remembered, too.
-- INCLUDE clock admit numbers
local meta, buyers, moves = KEYS[1], KEYS[2], KEYS[3]
local call = { server = ARGV[1], identity = ARGV[2], deadline_ms = ARGV[3] }
local epoch, move_field, quota_field = ARGV[4], 'debit:' .. ARGV[5], 'available:' .. ARGV[6]
local total_field = 'debited:' .. ARGV[6]
local units = ARGV[7] == 'all' and MAX_UNITS or tonumber(ARGV[7])

if not is_units(units) or units == 0 then return -3 end
local refused = admit(call, meta, buyers, epoch)
if refused ~= 0 then return refused end
local remembered = tonumber(redis.call('HGET', moves, move_field) or 'x')
if remembered then return { 1, remembered } end
local facts = redis.call('HMGET', meta, quota_field, total_field)
local available, total = tonumber(facts[1] or 'x'), tonumber(facts[2] or '0') or 0
if not available then return -2 end

local debited = math.min(units, available)
redis.call('HSET', moves, move_field, digits(debited))
redis.call('HSET', meta, quota_field, digits(available - debited), total_field, digits(total + debited))
return { 0, debited }
