-- load: put a whole segment in place of the one that is there, from what was staged before; its stream stays. Atomic.
-- KEYS   meta buyers stream loose released moves sales divided staged_buyers staged_loose staged_released
-- ARGV   server identity deadline_ms epoch version state starts_ms ends_ms limit buyer_count loose_count released_count sale group ...quotas
-- REPLY  1 loaded | -1 late | -2 not_ready | -3 bad_argument | -4 half_staged
-- Group: of the limit; empty when the sale is in none. Quotas: `channel units` of each. The stream's group reads from its beginning, so that no entry is passed over.
-- INCLUDE clock numbers
local meta, buyers, stream, loose, released, moves = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local sales, divided, staged_buyers, staged_loose, staged_released = KEYS[7], KEYS[8], KEYS[9], KEYS[10], KEYS[11]
local server, identity, deadline_ms, epoch = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local version, state, starts_ms, ends_ms = tonumber(ARGV[5]), ARGV[6], tonumber(ARGV[7]), tonumber(ARGV[8])
local limit = tonumber(ARGV[9])
local buyer_count, loose_count, released_count = tonumber(ARGV[10]), tonumber(ARGV[11]), tonumber(ARGV[12])
local sale, group = ARGV[13], ARGV[14]

if not deadline_ms or now_ms() > deadline_ms then return -1 end
if server ~= identity then return -2 end
if not (is_units(epoch) and is_units(version) and starts_ms and ends_ms and is_units(limit)) then return -3 end
if #ARGV % 2 ~= 0 or #ARGV > 512 then return -3 end
for at = 16, #ARGV, 2 do
  if not is_units(tonumber(ARGV[at])) then return -3 end
end

-- A foreign key in the place of ours is no segment, and goes.
local function kind(key) return redis.call('TYPE', key).ok end
local generation, queued = 0, false
if kind(meta) == 'hash' then
  local facts = redis.call('HMGET', meta, 'epoch', 'generation', 'queued')
  if facts[1] and epoch <= (tonumber(facts[1]) or 0) then return -2 end
  generation, queued = tonumber(facts[2] or 0) or 0, facts[3]
end
-- What was staged may have run out of its time.
local function staged(key, size, count) return (count > 0 and redis.call(size, key) or 0) == count end
if not (staged(staged_buyers, 'HLEN', buyer_count) and staged(staged_loose, 'HLEN', loose_count)
  and staged(staged_released, 'SCARD', released_count)) then return -4 end

-- Ids only rise: a stream in which somebody has put one of this epoch, or of a later one, takes no claim any more. It goes, and
-- the claims that it had come back from their marks.
local function is_ahead()
  local info = redis.call('XINFO', 'STREAM', stream)
  for at = 1, #info, 2 do
    if info[at] == 'last-generated-id' then return tonumber(string.match(info[at + 1], '^%d+')) >= epoch end
  end
end
local has_group, stream_kind = false, kind(stream)
if stream_kind == 'stream' and is_ahead() then
  redis.call('UNLINK', stream)
elseif stream_kind == 'stream' then
  for _, group in ipairs(redis.call('XINFO', 'GROUPS', stream)) do
    if group[2] == 'workers' then has_group = true end
  end
elseif stream_kind ~= 'none' then redis.call('UNLINK', stream) end

-- Writes: first what a full memory refuses.
if not has_group then redis.call('XGROUP', 'CREATE', stream, 'workers', '0', 'MKSTREAM') end
redis.call('UNLINK', meta, buyers, loose, released, moves)
-- Of a queue that stays it is known how many claims it holds, or found out once it is short.
if redis.call('XLEN', stream) == 0 then
  redis.call('UNLINK', divided)
  queued = '0'
end
if queued then redis.call('HSET', meta, 'queued', queued) end
local function take(staged_key, key, count)
  if count == 0 then return end
  redis.call('RENAME', staged_key, key)
  redis.call('PERSIST', key)
end
take(staged_buyers, buyers, buyer_count)
take(staged_loose, loose, loose_count)
take(staged_released, released, released_count)
redis.call('HSET', buyers, '', digits(epoch))
if group ~= '' then
  if kind(sales) ~= 'set' then redis.call('UNLINK', sales) end
  redis.call('SADD', sales, sale)
  redis.call('HSET', meta, 'group', group)
end
redis.call('HSET', meta, 'identity', identity, 'epoch', digits(epoch), 'version', digits(version), 'state', state,
  'starts_ms', digits(starts_ms), 'ends_ms', digits(ends_ms), 'limit', digits(limit), 'seq', '0',
  'generation', digits(generation + 1))
for at = 15, #ARGV, 2 do
  local units = digits(tonumber(ARGV[at + 1]))
  redis.call('HSET', meta, 'available:' .. ARGV[at], units, 'loaded:' .. ARGV[at], units)
end
return 1
