-- The entry of a claim, and its id: at the claim's position, or, when it was queued again, where `again` says.
local function entry_of(stream, again, order_id, position, channel)
  local function at(id)
    local entry = redis.call('XRANGE', stream, id, id)[1]
    local part = {}
    for n = 1, entry and #entry[2] or 0, 2 do part[entry[2][n]] = entry[2][n + 1] end
    if part.o == order_id and part.q == channel and (part.p or id) == position then return id end
  end
  local found = at(position)
  if found then return found end
  local later = redis.call('TYPE', again).ok == 'hash' and redis.call('HGET', again, order_id .. ' ' .. position .. ' ' .. channel)
  if later then return at(later) end
end
