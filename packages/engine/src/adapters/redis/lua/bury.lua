-- bury: take entries that cannot be read out of the queue and keep what they say, as many as the segment's grave has room for.
-- KEYS   meta stream buried divided
-- ARGV   room count ...ids
-- REPLY  1 buried | 2 full | -3 bad_argument
-- An entry stays in the queue when there is no room; its claims, if it was some's, are queued again from their marks.
-- INCLUDE numbers entries divided depth
local meta, stream, buried, divided = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local room, count = tonumber(ARGV[1]), tonumber(ARGV[2])
if not room or not count or count < 1 or #ARGV ~= 2 + count then return -3 end

local kind = redis.call('TYPE', buried).ok
if kind ~= 'hash' and kind ~= 'none' then redis.call('UNLINK', buried) end
for i = 1, count do
  local id = ARGV[2 + i]
  local entry = redis.call('XRANGE', stream, id, id)[1]
  if entry then
    if redis.call('HLEN', buried) >= room then return 2 end
    local opened = parts_of(entry)
    local queued = 0
    for _, state in ipairs(states_of(divided, opened) or all_of(FREE, opened.size)) do
      if state ~= REMOVED then queued = queued + 1 end
    end
    redis.call('HSET', buried, id, string.sub(table.concat(entry[2], ' '), 1, 2000))
    redis.call('XACK', stream, 'workers', id)
    redis.call('XDEL', stream, id)
    if is_hash(divided) then redis.call('HDEL', divided, id) end
    count_queued(meta, -queued)
  end
end
return 1
