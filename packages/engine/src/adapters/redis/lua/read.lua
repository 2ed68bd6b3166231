-- read: what the gate knows of a segment, and a page of its unsettled claims; the first page is of one moment.
-- KEYS   meta buyers stream loose released moves
-- ARGV   from through max
-- REPLY  0 absent | {meta moves released claims last}
-- From and through: ids of the stream. Claims: `order_id units position channel buyer`. Last: the id to go on behind, or empty.
-- A segment that lacks a part, or whose stream is ahead of it, is absent: it must be rebuilt.
-- INCLUDE numbers entries marks
local meta, buyers, stream, loose, released, moves = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local from, through, max = ARGV[1], ARGV[2], tonumber(ARGV[3])
local is_first = from == '-'

local facts = redis.call('HMGET', meta, 'epoch', 'seq')
local epoch, seq = tonumber(facts[1] or 'x'), tonumber(facts[2] or 'x')
if not epoch or not seq or redis.call('HGET', buyers, '') ~= facts[1] then return 0 end
if redis.call('EXISTS', stream) == 0 then return 0 end
local info = redis.call('XINFO', 'STREAM', stream)
for at = 1, #info, 2 do
  if info[at] == 'last-generated-id' then
    local last_epoch, last_seq = string.match(info[at + 1], '^(%d+)-(%d+)$')
    last_epoch, last_seq = tonumber(last_epoch), tonumber(last_seq)
    if last_epoch > epoch or (last_epoch == epoch and last_seq > seq) then return 0 end
  end
end

local queued, names = {}, {}
local last = walk(stream, from, through, max, function(opened)
  for _, claim in ipairs(claims_of(opened)) do
    queued[#queued + 1], names[#names + 1] = claim, claim[5]
  end
end)
local claims = {}
if #names > 0 then
  for i, marks in ipairs(redis.call('HMGET', buyers, unpack(names))) do
    local claim = queued[i]
    local _, state = find_mark(marks, claim[1], claim[3], claim[4])
    if state == 'q' then claims[#claims + 1] = claim end
  end
end
if not is_first then return { {}, {}, {}, claims, last } end

local unqueued = redis.call('HGETALL', loose)
for at = 1, #unqueued, 2 do
  local order_id, position, channel = string.match(unqueued[at], '^(%S+) (%S+) (.*)$')
  local units, buyer = string.match(unqueued[at + 1], '^(%d+) (.*)$')
  claims[#claims + 1] = { order_id, units, position, channel, buyer }
end
return { redis.call('HGETALL', meta), redis.call('HGETALL', moves), redis.call('SMEMBERS', released), claims, last }
