-- queue-depth: how many entries a segment's queue has, and the age of the oldest in ms; -1 when there is none.
-- KEYS   stream
-- ARGV   -
-- REPLY  {entries oldest_age_ms}
-- INCLUDE clock entries
local stream = KEYS[1]
local oldest = redis.call('XRANGE', stream, '-', '+', 'COUNT', 1)[1]
if not oldest then return { 0, -1 } end
local claimed_at_ms = tonumber(parts_of(oldest).claimed_at_ms or 'x') or now_ms()
-- The clock may have stepped back since.
return { redis.call('XLEN', stream), math.max(0, now_ms() - claimed_at_ms) }
