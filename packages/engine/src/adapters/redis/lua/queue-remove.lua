-- queue-remove: acknowledge and delete the named entries. A name that only shares the position removes nothing (P15).
-- KEYS   buyers stream loose again
-- ARGV   count ...columns
-- REPLY  1 removed | -3 bad_argument
-- Columns: all positions, all order ids, all channels, all buyers. A claim that the gate still holds for unsettled stays
-- known as such when its entry is gone.
-- INCLUDE entries marks
local buyers, stream, loose, again = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local count = tonumber(ARGV[1])
if not count or count < 1 or count > 256 or #ARGV ~= 1 + 4 * count then return -3 end

redis.call('HLEN', loose)
local ids, unqueued, requeued = {}, {}, {}
local known = redis.call('HMGET', buyers, unpack(ARGV, 2 + 3 * count, 1 + 4 * count))
for i = 1, count do
  local position, order_id = ARGV[1 + i], ARGV[1 + count + i]
  local channel, buyer = ARGV[1 + 2 * count + i], ARGV[1 + 3 * count + i]
  local id = entry_of(stream, again, order_id, position, channel)
  if id then
    ids[#ids + 1] = id
    if id ~= position then requeued[#requeued + 1] = order_id .. ' ' .. position .. ' ' .. channel end
    local _, state, units = find_mark(known[i], order_id, position, channel)
    if state == 'q' then
      unqueued[#unqueued + 1] = order_id .. ' ' .. position .. ' ' .. channel
      unqueued[#unqueued + 1] = units .. ' ' .. buyer
    end
  end
end
if #ids == 0 then return 1 end

if #unqueued > 0 then redis.call('HSET', loose, unpack(unqueued)) end
redis.call('XACK', stream, 'workers', unpack(ids))
redis.call('XDEL', stream, unpack(ids))
if #requeued > 0 then redis.call('HDEL', again, unpack(requeued)) end
return 1
