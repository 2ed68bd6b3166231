-- Where a claim stands in the queue: its entry, and which of that entry's claims it is. At its position, or, when it was queued
-- again, where `again` says. The entry looked at last is kept at hand: claims of one entry are mostly asked for together.
local function finder(stream, again, divided)
  local opened
  local function open_at(from, through)
    local entry = redis.call('XRANGE', stream, from, through, 'COUNT', 1)[1]
    if not entry then return false end
    if opened and opened.id == entry[1] then return true end
    opened = parts_of(entry)
    opened.states = states_of(divided, opened)
    return true
  end
  local function index_of(order_id, position, channel)
    local index = opened and index_in(opened, order_id, position, channel)
    if index and not (opened.states and opened.states[index] == REMOVED) then return index end
  end
  return function(order_id, position, channel)
    local index = index_of(order_id, position, channel)
    if not index and open_at(position, '+') then index = index_of(order_id, position, channel) end
    if index then return opened, index end
    local later = is_hash(again) and redis.call('HGET', again, order_id .. ' ' .. position .. ' ' .. channel)
    if not later or not open_at(later, later) then return nil end
    index = index_of(order_id, position, channel)
    return index and opened, index
  end
end
