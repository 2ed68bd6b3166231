-- 0: the call may change the segment; else the code of why it may not (P2). An empty epoch means any.
local function admit(call, meta, buyers, epoch)
  local deadline_ms = tonumber(call.deadline_ms)
  if not deadline_ms or now_ms() > deadline_ms then return -1 end
  local facts = redis.call('HMGET', meta, 'identity', 'epoch')
  if call.server ~= call.identity or facts[1] ~= call.identity then return -2 end
  if not facts[2] or redis.call('HGET', buyers, '') ~= facts[2] then return -2 end
  if epoch ~= '' and epoch ~= facts[2] then return -2 end
  return 0
end
