-- release: end a claim: free its buyer's limit, and give its units back to the quota that sold it. Once per claim.
-- KEYS   meta buyers loose released
-- ARGV   server identity deadline_ms epoch buyer order_id position channel destination
-- REPLY  1 released | 2 repeated | 3 unknown_claim | -1 late | -2 not_ready | -3 bad_argument
-- Destination: quota, or centre: then the units are free there already, and none come back here.
-- INCLUDE clock admit numbers marks
local meta, buyers, loose, released = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local call = { server = ARGV[1], identity = ARGV[2], deadline_ms = ARGV[3] }
local epoch, buyer, order_id, position, channel = ARGV[4], ARGV[5], ARGV[6], ARGV[7], ARGV[8]

local refused = admit(call, meta, buyers, epoch)
if refused ~= 0 then return refused end
redis.call('HLEN', loose)
redis.call('SCARD', released)
local claims = redis.call('HGET', buyers, buyer) or ''
local at, state, units = find_mark(claims, order_id, position, channel)
if not at then return 3 end
if state == 'e' then return 2 end
local name = order_id .. ' ' .. position .. ' ' .. channel
local function end_claim()
  redis.call('HSET', buyers, buyer, with_state(claims, at, 'e'))
  redis.call('HDEL', loose, name)
  redis.call('SADD', released, name)
  return 1
end
if ARGV[9] == 'centre' then return end_claim() end
if ARGV[9] ~= 'quota' then return -3 end

local quota_field, total_field = 'available:' .. channel, 'released:' .. channel
local facts = redis.call('HMGET', meta, quota_field, 'generation', total_field)
local available, generation, total = tonumber(facts[1] or 'x'), tonumber(facts[2] or 'x'), tonumber(facts[3] or '0') or 0
if not available or not generation then return -2 end
if not is_units(available + tonumber(units)) then return -3 end

end_claim()
redis.call('HSET', meta, 'generation', digits(generation + 1), quota_field, digits(available + tonumber(units)),
  total_field, digits(total + tonumber(units)))
return 1
