-- queue-read: up to max claims in order: those whose reader has been silent for too long, then new ones.
-- KEYS   stream again divided
-- ARGV   consumer take_over_ms max forget_ms
-- REPLY  {{id fields from through ...} ...}
-- Of each entry all claims, or those from .. through, counted from 1. An entry of which not all claims fit, or are there to be
-- lent, is divided: from then on each of its claims has a lease of its own, and until then the group's counts.
-- Readers that have been silent for forget_ms, with nothing in hand, are forgotten once there are many.
-- INCLUDE clock numbers entries divided
local stream, again, divided = KEYS[1], KEYS[2], KEYS[3]
local consumer, take_over_ms, max, forget_ms = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
if redis.call('EXISTS', stream) == 0 or max < 1 then return {} end

-- A group that somebody removed is made again from the beginning: an entry twice is harmless, one passed over is not.
local has_group, readers, last_read = false, 0, '0-0'
for _, group in ipairs(redis.call('XINFO', 'GROUPS', stream)) do
  if group[2] == 'workers' then has_group, readers, last_read = true, group[4], group[8] end
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
local now, left, reply = now_ms(), max, {}
local function lend(entry)
  local opened = parts_of(entry)
  local part, run = opened.part, opened.runs[#opened.runs]
  -- What was queued again is removed by where it is, which somebody may have thrown away.
  if is_index and part.o and run and string.match(part.p or '', '^%d+%-%d+$') then
    redis.call('HSET', again, part.o .. ' ' .. part.p .. ' ' .. run.channel, opened.id)
  end
  local states = states_of(divided, opened)
  if not states and opened.size <= left then
    left, reply[#reply + 1] = left - opened.size, entry
    return opened.size
  end
  states = states or all_of(FREE, opened.size)
  local lent = { entry[1], entry[2] }
  for index, state in ipairs(states) do
    if left > 0 and state ~= REMOVED and (state == FREE or state <= now - take_over_ms) then
      left, states[index] = left - 1, now
      show(lent, index)
    end
  end
  keep_states(divided, opened.id, states)
  if #lent > 2 then reply[#reply + 1] = lent end
  return opened.size
end

-- What was read before: claims of divided entries, and entries whose reader is silent.
local waiting, is_divided = {}, {}
local function wait(id)
  local epoch, seq = string.match(id, '^(%d+)-(%d+)$')
  if epoch then waiting[#waiting + 1] = { id = id, epoch = tonumber(epoch), seq = tonumber(seq) } end
end
local function is_before(one, other)
  if one.epoch ~= other.epoch then return one.epoch < other.epoch end
  return one.seq < other.seq
end
local divided_ids = is_hash(divided) and redis.call('HKEYS', divided) or {}
for _, id in ipairs(divided_ids) do
  is_divided[id] = true
  wait(id)
end
for _, found in ipairs(redis.call('XPENDING', stream, 'workers', 'IDLE', take_over_ms, '-', '+', max + #divided_ids)) do
  if not is_divided[found[1]] then wait(found[1]) end
end
table.sort(waiting, is_before)
local read_epoch, read_seq = string.match(last_read, '^(%d+)-(%d+)$')
local read_through = { epoch = tonumber(read_epoch), seq = tonumber(read_seq) }
for _, at in ipairs(waiting) do
  if left == 0 or is_before(read_through, at) then break end
  local entry
  if is_divided[at.id] then entry = redis.call('XRANGE', stream, at.id, at.id)[1]
  else entry = redis.call('XCLAIM', stream, 'workers', consumer, take_over_ms, at.id)[1] end
  if entry then lend(entry)
  else
    -- Somebody has deleted it.
    redis.call('XACK', stream, 'workers', at.id)
    if is_divided[at.id] then redis.call('HDEL', divided, at.id) end
  end
end

-- Entries are of any size: what was read and does not fit is lent to nobody yet.
local step = step_for(left)
while left > 0 do
  local fresh = redis.call('XREADGROUP', 'GROUP', 'workers', consumer, 'COUNT', step, 'STREAMS', stream, '>')
  local entries, claims = fresh and fresh[1][2] or {}, 0
  for _, entry in ipairs(entries) do claims = claims + lend(entry) end
  if #entries < step then break end
  step = step_for(left, #entries, claims)
end
return reply
