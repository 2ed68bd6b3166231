-- requeue: give claims that are unsettled and have no entry one again. Its id is new, for ids only rise; the claim keeps its
-- position, so that settling it twice is settling it once (P14). What has an entry, or is no unsettled claim, is left.
-- KEYS   meta buyers stream again divided
-- ARGV   server identity deadline_ms count ...columns
-- REPLY  1 requeued | -1 late | -2 not_ready | -3 bad_argument
-- Columns: all buyers, all order ids, all positions, all channels.
-- INCLUDE clock admit numbers entries divided depth find-claim marks
local meta, buyers, stream, again, divided = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local call = { server = ARGV[1], identity = ARGV[2], deadline_ms = ARGV[3] }
local count = tonumber(ARGV[4])

if not count or count < 1 or count > 256 or #ARGV ~= 4 + 4 * count then return -3 end
local refused = admit(call, meta, buyers, '')
if refused ~= 0 then return refused end
local facts = redis.call('HMGET', meta, 'epoch', 'seq')
local seq = tonumber(facts[2] or 'x')
if not seq or redis.call('TYPE', stream).ok ~= 'stream' then return -2 end
local again_kind = redis.call('TYPE', again).ok
if again_kind ~= 'hash' and again_kind ~= 'none' then redis.call('UNLINK', again) end

local written_now, before = digits(now_ms()), seq
local find_claim = finder(stream, again, divided)
for i = 1, count do
  local buyer, order_id = ARGV[4 + i], ARGV[4 + count + i]
  local position, channel = ARGV[4 + 2 * count + i], ARGV[4 + 3 * count + i]
  local _, state, units = find_mark(redis.call('HGET', buyers, buyer), order_id, position, channel)
  if state == 'q' and not find_claim(order_id, position, channel) then
    local id = facts[1] .. '-' .. digits(seq + 1)
    redis.call('XADD', stream, id, 'o', order_id, 'b', buyer, units .. ' ' .. channel, written_now, 'p', position)
    seq = seq + 1
    redis.call('HSET', meta, 'seq', digits(seq))
    redis.call('HSET', again, order_id .. ' ' .. position .. ' ' .. channel, id)
  end
end
count_queued(meta, seq - before)
return 1
