-- An entry of the stream: `o` order id, `b` buyer, then a field that is called `units channel` and holds when it was claimed: its
-- name is kept once for all entries beside each other that have the same. `p`, where there is one, is the position of a claim
-- that was queued again: ids of a stream only rise (P14).
local function parts_of(entry)
  local part, fields = { p = entry[1] }, entry[2]
  for at = 1, #fields, 2 do
    local units, channel = string.match(fields[at], '^(%d+) (.*)$')
    if units then
      part.units, part.channel, part.claimed_at_ms = units, channel, fields[at + 1]
    else
      part[fields[at]] = fields[at + 1]
    end
  end
  return part
end

-- The id of a claim's entry: at the claim's position, or, when it was queued again, where `again` says.
local function entry_of(stream, again, order_id, position, channel)
  local function at(id)
    local entry = redis.call('XRANGE', stream, id, id)[1]
    local part = entry and parts_of(entry)
    if part and part.o == order_id and part.channel == channel and part.p == position then return id end
  end
  local found = at(position)
  if found then return found end
  local later = redis.call('TYPE', again).ok == 'hash' and redis.call('HGET', again, order_id .. ' ' .. position .. ' ' .. channel)
  if later then return at(later) end
end
