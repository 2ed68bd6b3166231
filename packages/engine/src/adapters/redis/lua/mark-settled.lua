-- mark-settled: note which claims the ledger has. Unknown ones are ignored; an ended mark stays ended.
-- KEYS   meta buyers loose
-- ARGV   server identity deadline_ms count ...columns
-- REPLY  1 marked | -1 late | -2 not_ready | -3 bad_argument
-- Columns: all buyers, all order ids, all positions, all channels.
-- INCLUDE clock admit marks
local meta, buyers, loose = KEYS[1], KEYS[2], KEYS[3]
local call = { server = ARGV[1], identity = ARGV[2], deadline_ms = ARGV[3] }
local count = tonumber(ARGV[4])

if not count or count < 0 or count > 256 or #ARGV ~= 4 + 4 * count then return -3 end
local refused = admit(call, meta, buyers, '')
if refused ~= 0 then return refused end
redis.call('HLEN', loose)
if count == 0 then return 1 end

local known = redis.call('HMGET', buyers, unpack(ARGV, 5, 4 + count))
local running, fields, gone = {}, {}, {}
for i = 1, count do
  local buyer, order_id = ARGV[4 + i], ARGV[4 + count + i]
  local position, channel = ARGV[4 + 2 * count + i], ARGV[4 + 3 * count + i]
  local claims = running[buyer] or known[i]
  local at, state = find_mark(claims, order_id, position, channel)
  if state == 'q' then
    running[buyer] = with_state(claims, at, 's')
    gone[#gone + 1] = order_id .. ' ' .. position .. ' ' .. channel
  end
end
if #gone == 0 then return 1 end

for buyer, claims in pairs(running) do
  fields[#fields + 1] = buyer
  fields[#fields + 1] = claims
end
redis.call('HSET', buyers, unpack(fields))
redis.call('HDEL', loose, unpack(gone))
return 1
