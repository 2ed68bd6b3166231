-- queue-remove: take the named claims out of the queue; an entry of which none is left is acknowledged and deleted. A name that
-- only shares the position removes nothing (P15).
-- KEYS   meta buyers stream loose again divided
-- ARGV   count ...columns
-- REPLY  1 removed | -3 bad_argument
-- Columns: all positions, all order ids, all channels, all buyers. A claim that the gate still holds for unsettled stays
-- known as such when it is no longer queued.
-- INCLUDE clock numbers entries divided depth find-claim marks
local meta, buyers, stream, loose, again, divided = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local count = tonumber(ARGV[1])
if not count or count < 1 or count > 256 or #ARGV ~= 1 + 4 * count then return -3 end

redis.call('HLEN', loose)
local find_claim = finder(stream, again, divided)
local touched, removed, unqueued, requeued = {}, 0, {}, {}
local known = redis.call('HMGET', buyers, unpack(ARGV, 2 + 3 * count, 1 + 4 * count))
for i = 1, count do
  local position, order_id = ARGV[1 + i], ARGV[1 + count + i]
  local channel, buyer = ARGV[1 + 2 * count + i], ARGV[1 + 3 * count + i]
  local opened, index = find_claim(order_id, position, channel)
  local entry = opened and (touched[opened.id] or { opened = opened, gone = {}, gone_count = 0 })
  if entry and not entry.gone[index] then
    touched[opened.id], entry.gone[index], entry.gone_count = entry, true, entry.gone_count + 1
    removed = removed + 1
    if opened.part.p then requeued[#requeued + 1] = order_id .. ' ' .. position .. ' ' .. channel end
    local _, state, units = find_mark(known[i], order_id, position, channel)
    if state == 'q' then
      unqueued[#unqueued + 1] = order_id .. ' ' .. position .. ' ' .. channel
      unqueued[#unqueued + 1] = units .. ' ' .. buyer
    end
  end
end
if removed == 0 then return 1 end

if #unqueued > 0 then redis.call('HSET', loose, unpack(unqueued)) end
-- The others of an entry that was whole were lent with it, or not yet.
local function lent_with(id)
  local pending = redis.call('XPENDING', stream, 'workers', id, id, 1)[1]
  return pending and now_ms() - pending[3] or FREE
end
local is_divided = is_hash(divided)
for id, entry in pairs(touched) do
  local size, states = entry.opened.size, entry.opened.states
  local left = size - entry.gone_count
  for _, state in ipairs(states or {}) do
    if state == REMOVED then left = left - 1 end
  end
  if left == 0 then
    redis.call('XACK', stream, 'workers', id)
    redis.call('XDEL', stream, id)
    if is_divided then redis.call('HDEL', divided, id) end
  else
    states = states or all_of(lent_with(id), size)
    for index in pairs(entry.gone) do states[index] = REMOVED end
    keep_states(divided, id, states)
  end
end
count_queued(meta, -removed)
if #requeued > 0 then redis.call('HDEL', again, unpack(requeued)) end
return 1
