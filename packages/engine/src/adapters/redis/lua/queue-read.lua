-- queue-read: up to max entries in order: those whose reader has been silent for too long, then new ones.
-- KEYS   stream again
-- ARGV   consumer take_over_ms max forget_ms
-- REPLY  {id fields ...}
-- Readers that have been silent for forget_ms, with nothing in hand, are forgotten once there are many.
-- INCLUDE entries
local stream, again = KEYS[1], KEYS[2]
local consumer, take_over_ms, max, forget_ms = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
if redis.call('EXISTS', stream) == 0 or max < 1 then return {} end

-- A group that somebody removed is made again from the beginning: an entry twice is harmless, one passed over is not.
local has_group, readers = false, 0
for _, group in ipairs(redis.call('XINFO', 'GROUPS', stream)) do
  if group[2] == 'workers' then has_group, readers = true, group[4] end
end
if not has_group then redis.call('XGROUP', 'CREATE', stream, 'workers', '0') end

-- Each process reads under a name of its own, and names never come again.
if readers > 32 then
  for _, reader in ipairs(redis.call('XINFO', 'CONSUMERS', stream, 'workers')) do
    if reader[2] ~= consumer and reader[4] == 0 and reader[6] >= forget_ms then
      redis.call('XGROUP', 'DELCONSUMER', stream, 'workers', reader[2])
    end
  end
end

local again_kind = redis.call('TYPE', again).ok
local is_index = again_kind == 'hash' or again_kind == 'none'
local entries = {}
local function add(found)
  for _, entry in ipairs(found) do
    entries[#entries + 1] = entry
    local part = parts_of(entry)
    -- What was queued again is removed by where it is, which somebody may have thrown away.
    if is_index and part.o and part.channel and part.p ~= entry[1] and string.match(part.p, '^%d+%-%d+$') then
      redis.call('HSET', again, part.o .. ' ' .. part.p .. ' ' .. part.channel, entry[1])
    end
  end
end
local cursor = '0-0'
-- A step looks at ten entries for each that it may take; the bound is far above what readers have in hand.
for _ = 1, 1000 do
  local step = redis.call('XAUTOCLAIM', stream, 'workers', consumer, take_over_ms, cursor, 'COUNT', max - #entries)
  cursor = step[1]
  add(step[2])
  if cursor == '0-0' or #entries >= max then break end
end
if #entries < max then
  local fresh = redis.call('XREADGROUP', 'GROUP', 'workers', consumer, 'COUNT', max - #entries, 'STREAMS', stream, '>')
  if fresh then add(fresh[1][2]) end
end
return entries
