-- queue-depth: how many entries a segment's queue has, and the age of the oldest in ms; -1 when there is none.
-- KEYS   stream
-- ARGV   -
-- REPLY  {entries oldest_age_ms}
-- INCLUDE clock
local stream = KEYS[1]
local oldest = redis.call('XRANGE', stream, '-', '+', 'COUNT', 1)[1]
if not oldest then return { 0, -1 } end
local claimed_at_ms = now_ms()
for at = 1, #oldest[2], 2 do
  if oldest[2][at] == 't' then claimed_at_ms = tonumber(oldest[2][at + 1]) or claimed_at_ms end
end
-- The clock may have stepped back since.
return { redis.call('XLEN', stream), math.max(0, now_ms() - claimed_at_ms) }
