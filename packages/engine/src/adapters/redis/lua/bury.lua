-- bury: take entries that cannot be read out of the queue and keep what they say, as many as the segment's grave has room for.
-- KEYS   stream buried
-- ARGV   room count ...ids
-- REPLY  1 buried | 2 full | -3 bad_argument
-- An entry stays in the queue when there is no room; its claim, if it was one's, is queued again from its mark.
local stream, buried = KEYS[1], KEYS[2]
local room, count = tonumber(ARGV[1]), tonumber(ARGV[2])
if not room or not count or count < 1 or #ARGV ~= 2 + count then return -3 end

local kind = redis.call('TYPE', buried).ok
if kind ~= 'hash' and kind ~= 'none' then redis.call('UNLINK', buried) end
for i = 1, count do
  local id = ARGV[2 + i]
  local entry = redis.call('XRANGE', stream, id, id)[1]
  if entry then
    if redis.call('HLEN', buried) >= room then return 2 end
    redis.call('HSET', buried, id, string.sub(table.concat(entry[2], ' '), 1, 2000))
    redis.call('XACK', stream, 'workers', id)
    redis.call('XDEL', stream, id)
  end
end
return 1
