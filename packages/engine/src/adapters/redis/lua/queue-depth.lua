-- queue-depth: how many claims a segment's queue holds, and the age of the oldest in ms; -1 when there is none.
-- KEYS   meta stream divided
-- ARGV   -
-- REPLY  {claims oldest_age_ms}
-- A short queue is counted through, which sets right what somebody has changed by hand. What is known of a long one is held
-- between the least and the most that so many entries can be.
-- INCLUDE clock numbers entries divided
local meta, stream, divided = KEYS[1], KEYS[2], KEYS[3]
local SHORT = 16
local length = redis.call('XLEN', stream)
if length == 0 then return { 0, -1 } end

local oldest_at_ms
local queued = is_hash(meta) and redis.call('HGET', meta, 'queued')
local known = tonumber(queued or 'x')
if length <= SHORT then
  local counted = 0
  for _, entry in ipairs(redis.call('XRANGE', stream, '-', '+')) do
    local opened = parts_of(entry)
    oldest_at_ms = oldest_at_ms or tonumber(opened.claimed_at_ms or 'x') or now_ms()
    for _, state in ipairs(states_of(divided, opened) or all_of(FREE, opened.size)) do
      if state ~= REMOVED then counted = counted + 1 end
    end
  end
  if queued and known ~= counted then redis.call('HSET', meta, 'queued', digits(counted)) end
  known = counted
else
  local oldest = parts_of(redis.call('XRANGE', stream, '-', '+', 'COUNT', 1)[1])
  oldest_at_ms = tonumber(oldest.claimed_at_ms or 'x') or now_ms()
end
-- The clock may have stepped back since.
return { math.max(length, math.min(known or 0, length * MAX_CLAIMS)), math.max(0, now_ms() - oldest_at_ms) }
