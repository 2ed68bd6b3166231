-- strays: of a page of buyers, the claims that are unsettled and have no entry in the queue.
-- KEYS   meta buyers stream again
-- ARGV   cursor max
-- REPLY  {cursor position is_waiting claims}
-- Position: of the last claim made; empty when that cannot be told. Is waiting: 1 when any claim of the page is unsettled.
-- Claims: `order_id units position channel buyer`. What is no segment's any more has what there is of it.
-- INCLUDE entries marks
local meta, buyers, stream, again = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local function kind(key) return redis.call('TYPE', key).ok end
if kind(buyers) ~= 'hash' then return { '0', '', 0, {} } end

local position = ''
if kind(meta) == 'hash' then
  local facts = redis.call('HMGET', meta, 'epoch', 'seq')
  if facts[1] and facts[2] then position = facts[1] .. '-' .. facts[2] end
end
local has_stream = kind(stream) == 'stream'
local step = redis.call('HSCAN', buyers, ARGV[1], 'COUNT', ARGV[2])
local is_waiting, claims = 0, {}
for at = 1, #step[2], 2 do
  local buyer, marks = step[2][at], step[2][at + 1]
  for _, state, order_id, units, place, channel in string.gmatch(buyer == '' and '' or marks, MARK) do
    if state == 'q' then
      is_waiting = 1
      if not (has_stream and entry_of(stream, again, order_id, place, channel)) then
        claims[#claims + 1] = { order_id, units, place, channel, buyer }
      end
    end
  end
end
return { step[1], position, is_waiting, claims }
