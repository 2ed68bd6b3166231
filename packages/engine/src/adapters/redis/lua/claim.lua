-- claim: decide a batch of purchases for one segment, in order of arrival. Atomic; losers write nothing.
-- KEYS   meta buyers stream sales
-- ARGV   server identity deadline_ms buyer_ids order_ids ...runs
-- REPLY  -1 late | -2 not_ready | -3 bad_argument | {epoch starts_ms length answer ...}
-- Ids: two lists in JSON. Runs: `channel for_late_money units length` of claims beside each other that want the same. Answers:
-- above 0 won, the seq of the first, each further one has the next | -2 not_ready | -4 paused | -5 closed | -6 not_started |
-- -7 over | -8 dry | {left}: not enough | a string, the buyer's claims: his order is in it (replay), or the limit is met;
-- behind a bar then those in the other sales of the limit group, whose keys have the same tag and are named like these.
-- domain/gate/decide-claim.ts is the specification. The empty field of buyers holds the epoch, so that a lost hash is told
-- from a sale without buyers. What an entry of the stream holds says shared/entries.lua.
-- INCLUDE clock numbers marks
local meta, buyers, stream, sales = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local server, identity, deadline_ms = ARGV[1], ARGV[2], tonumber(ARGV[3])
local FIRST_RUN = 6

local now = now_ms()
if not deadline_ms or now > deadline_ms then return -1 end

local count = 0
for at = FIRST_RUN, #ARGV, 4 do
  local units, length = tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3])
  if not is_units(units) or units == 0 or not is_units(length) or length == 0 then return -3 end
  count = count + length
end
local buyer_ids = cjson.decode(ARGV[4])
if count < 1 or count > 256 or #buyer_ids ~= count then return -3 end

local known = redis.call('HMGET', buyers, '', unpack(buyer_ids))
local facts = redis.call('HMGET', meta, 'identity', 'epoch', 'state', 'starts_ms', 'ends_ms', 'limit', 'seq', 'group', 'queued')
local epoch, state = facts[2], facts[3]
local starts_ms, ends_ms, limit, seq = tonumber(facts[4]), tonumber(facts[5]), tonumber(facts[6]), tonumber(facts[7])
if not epoch or known[1] ~= epoch or not (starts_ms and ends_ms and limit and seq) then return -2 end

-- What a claim meets that is no replay. An unfit gate still answers replays.
local function fence_for(is_late_money)
  if server ~= identity or facts[1] ~= identity or state == 'draft' then return -2 end
  if state ~= 'live' and state ~= 'paused' then return -5 end
  if is_late_money then return 0 end
  if state == 'paused' then return -4 end
  if now < starts_ms then return -6 end
  if now >= ends_ms then return -7 end
  return 0
end

-- What the buyers have in the other sales of the group, a list for each sale. What is not there, or is foreign, counts nothing.
local beside, is_shared = {}, facts[8] ~= false
if is_shared then
  local group_prefix = string.sub(sales, 1, -#'sales' - 1)
  local members = redis.pcall('SMEMBERS', sales)
  for _, sale in ipairs(members.err and {} or members) do
    local other = group_prefix .. sale .. ':buyers'
    local held = other ~= buyers and redis.pcall('HMGET', other, unpack(buyer_ids))
    if held and not held.err then beside[#beside + 1] = held end
  end
end
local function claims_beside(at)
  local claims = ''
  for _, held in ipairs(beside) do claims = claims .. (held[at] or '') end
  return claims
end

-- Of several marks of one order the living one counts; the buyer's live units are summed up beside.
local function look(claims, order_id)
  local earlier, live_units = nil, 0
  for _, mark_state, order, rest in string.gmatch(claims, MARK) do
    if mark_state ~= 'e' then live_units = live_units + units_of(rest) end
    if order == order_id and (earlier == nil or earlier == 'e') then earlier = mark_state end
  end
  return earlier, live_units
end

-- Read when they matter: to most of those who come too late they never do.
local order_ids
local function order_id_of(i)
  order_ids = order_ids or cjson.decode(ARGV[5])
  return order_ids[i]
end

local answers, answer_count, run_length, next_answer = { epoch, digits(starts_ms) }, 2, 0, nil
local available, claimed, was_taken, running, fields, field_count = {}, {}, {}, {}, {}, 0
-- `%d` takes a third of the time of `digits`, and no seq comes near to where it ends.
local format, call = string.format, redis.call
local first_seq, won_orders, won_runs = seq + 1, {}, {}
local i = 0
for at = FIRST_RUN, #ARGV, 4 do
  local channel, is_late_money, units = ARGV[at], ARGV[at + 1] == '1', tonumber(ARGV[at + 2])
  local fence, written_units = fence_for(is_late_money), digits(units)
  local new_mark, seq_before = mark_format(written_units, epoch, channel), seq
  if available[channel] == nil then
    local quota = call('HMGET', meta, 'available:' .. channel, 'claimed:' .. channel)
    available[channel], claimed[channel] = tonumber(quota[1] or 'x') or false, tonumber(quota[2] or '0') or 0
  end
  local left = available[channel]
  for _ = 1, tonumber(ARGV[at + 3]) do
    i = i + 1
    local buyer = buyer_ids[i]
    local claims = running[buyer] or known[i + 1] or ''
    local earlier, live_units = nil, 0
    if claims ~= '' then earlier, live_units = look(claims, order_id_of(i)) end
    local others = is_shared and claims_beside(i) or ''
    if others ~= '' then
      local _, units_beside = look(others, order_id_of(i))
      live_units = live_units + units_beside
    end
    local answer, is_won = nil, false
    if earlier and not (is_late_money and earlier == 'e') then answer = claims
    elseif fence ~= 0 then answer = fence
    elseif live_units + units > limit then answer = is_shared and claims .. '|' .. others or claims
    elseif not left then answer = -2
    elseif left == 0 then answer = -8
    elseif left < units then answer = { left }
    else
      local order_id = order_id_of(i)
      if field_count == 0 and (#order_ids ~= count or call('EXISTS', stream) == 0) then return -2 end
      answer, is_won = seq + 1, true
      claims = claims .. format(new_mark, order_id, answer)
      running[buyer], fields[field_count + 1], fields[field_count + 2] = claims, buyer, claims
      seq, left, field_count = answer, left - units, field_count + 2
      won_orders[answer - first_seq + 1] = order_id
    end
    if answer ~= next_answer then
      answer_count, run_length = answer_count + 2, 0
      answers[answer_count] = answer
    end
    run_length = run_length + 1
    answers[answer_count - 1] = run_length
    next_answer = is_won and answer + 1 or answer
  end
  if left ~= available[channel] then
    claimed[channel] = claimed[channel] + available[channel] - left
    available[channel], was_taken[channel] = left, true
    won_runs[#won_runs + 1], won_runs[#won_runs + 2] = written_units .. ' ' .. channel, seq - seq_before
  end
end
if field_count == 0 then return answers end

-- The first write, and the only one that can fail (memory, an id not above the last). When all have won, the texts that came
-- are those that are kept.
local id, won_count, written_now = format('%s-%d', epoch, seq), #won_orders, digits(now)
if won_count == 1 then
  call('XADD', stream, id, 'o', won_orders[1], 'b', fields[1], won_runs[1], written_now)
else
  local won_buyers, is_all = {}, won_count == count
  for at = 1, is_all and 0 or won_count do won_buyers[at] = fields[2 * at - 1] end
  call('XADD', stream, id, 'orders', is_all and ARGV[5] or cjson.encode(won_orders),
    'buyers', is_all and ARGV[4] or cjson.encode(won_buyers), 'at', written_now, unpack(won_runs))
end
-- Of a buyer who won twice the later text counts, which has both.
redis.call('HSET', buyers, unpack(fields))
-- One HSET of what was read a moment ago in the same script: it cannot meet a value that HINCRBY refuses.
local figures = { 'seq', digits(seq) }
local queued = tonumber(facts[9] or 'x')
if queued then figures[3], figures[4] = 'queued', digits(queued + won_count) end
for channel in pairs(was_taken) do
  figures[#figures + 1] = 'available:' .. channel
  figures[#figures + 1] = digits(available[channel])
  figures[#figures + 1] = 'claimed:' .. channel
  figures[#figures + 1] = digits(claimed[channel])
end
redis.call('HSET', meta, unpack(figures))
return answers
