-- strays: of a page of buyers, the claims that are unsettled and are not in the queue.
-- KEYS   meta buyers stream again divided
-- ARGV   cursor max looks_up
-- REPLY  {cursor position is_waiting claims}
-- Position: of the last claim made; empty when that cannot be told. Is waiting: 1 when any claim of the page is unsettled.
-- Looks up: 0 when whoever asks knows what is queued, and is told all that is unsettled.
-- Claims: `order_id units position channel buyer`. What is no segment's any more has what there is of it.
-- INCLUDE numbers entries divided find-claim marks
local meta, buyers, stream, again, divided = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local function kind(key) return redis.call('TYPE', key).ok end
if kind(buyers) ~= 'hash' then return { '0', '', 0, {} } end

local position = ''
if kind(meta) == 'hash' then
  local facts = redis.call('HMGET', meta, 'epoch', 'seq')
  if facts[1] and facts[2] then position = facts[1] .. '-' .. facts[2] end
end
local step = redis.call('HSCAN', buyers, ARGV[1], 'COUNT', ARGV[2])
local unsettled = {}
for at = 1, #step[2], 2 do
  local buyer, marks = step[2][at], step[2][at + 1]
  for _, state, order_id, rest in string.gmatch(buyer == '' and '' or marks, MARK) do
    if state == 'q' then
      local units, place, channel = read_rest(rest)
      unsettled[#unsettled + 1] = { order_id, units, place, channel, buyer }
    end
  end
end
local looks_up = ARGV[3] ~= '0' and kind(stream) == 'stream'
if #unsettled == 0 or not looks_up then return { step[1], position, #unsettled > 0 and 1 or 0, unsettled } end

-- By seq, so that an entry is opened once for all of its claims: that is the dear part.
local find_claim, seqs, by_seq, claims = finder(stream, again, divided), {}, {}, {}
for _, claim in ipairs(unsettled) do
  local seq = tonumber(string.match(claim[3], '%d+$') or 0)
  if not by_seq[seq] then by_seq[seq], seqs[#seqs + 1] = {}, seq end
  by_seq[seq][#by_seq[seq] + 1] = claim
end
table.sort(seqs)
for _, seq in ipairs(seqs) do
  for _, claim in ipairs(by_seq[seq]) do
    if not find_claim(claim[1], claim[3], claim[4]) then claims[#claims + 1] = claim end
  end
end
return { step[1], position, 1, claims }
