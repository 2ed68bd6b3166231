-- A buyer's claims: one `state order_id units epoch-seq channel;` each; states q claimed, s settled, e ended.
local MARK = '()(%a) (%S+) (%d+) (%S+) ([^;]*);'

-- Where the state letter of one claim stands, the letter, and the units; nothing when there is no such mark.
local function find_mark(claims, order_id, position, channel)
  for at, state, order, units, place, quota in string.gmatch(claims or '', MARK) do
    if order == order_id and place == position and quota == channel then return at, state, units end
  end
end

local function with_state(claims, at, state)
  return string.sub(claims, 1, at - 1) .. state .. string.sub(claims, at + 1)
end
