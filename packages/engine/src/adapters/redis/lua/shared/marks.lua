-- A buyer's claims: mostly `qORDER_ID epoch-seq;`, which means one unit by the main channel, else `q order_id units epoch-seq
-- channel;`; states q claimed, s settled, e ended. Texts of up to 28 bytes take 16 less of the memory than longer ones.
local MAIN_CHANNEL = 'main'
local MARK = '()(%a) ?(%S+) ([^;]*);'

local function units_of(rest)
  return tonumber(string.match(rest, '^(%d+) ') or 1)
end

-- Units, position and channel of what stands behind the order id.
local function read_rest(rest)
  local units, position, channel = string.match(rest, '^(%d+) (%S+) (.*)$')
  if units then return units, position, channel end
  return '1', rest, MAIN_CHANNEL
end

-- For `string.format`, of an order id and a seq.
local function mark_format(units, epoch, channel)
  if units == '1' and channel == MAIN_CHANNEL then return 'q%s ' .. epoch .. '-%d;' end
  return 'q %s ' .. units .. ' ' .. epoch .. '-%d ' .. string.gsub(channel, '%%', '%%%%') .. ';'
end

-- Where the state letter of one claim stands, the letter, and the units; nothing when there is no such mark.
local function find_mark(claims, order_id, position, channel)
  for at, state, order, rest in string.gmatch(claims or '', MARK) do
    if order == order_id then
      local units, place, quota = read_rest(rest)
      if place == position and quota == channel then return at, state, units end
    end
  end
end

local function with_state(claims, at, state)
  return string.sub(claims, 1, at - 1) .. state .. string.sub(claims, at + 1)
end
