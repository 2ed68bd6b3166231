-- How many claims the queue holds is counted beside it; of a segment whose meta is lost it is not known until the next load.
local function count_queued(meta, change)
  if change == 0 or redis.call('TYPE', meta).ok ~= 'hash' then return end
  local queued = tonumber(redis.call('HGET', meta, 'queued') or 'x')
  if queued then redis.call('HSET', meta, 'queued', digits(math.max(0, queued + change))) end
end
