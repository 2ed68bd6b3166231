-- claim: decide a batch of purchases for one segment, in order of arrival. Atomic; losers write nothing.
-- KEYS   meta buyers stream sales
-- ARGV   server identity deadline_ms run_count ...columns
-- REPLY  -1 late | -2 not_ready | -3 bad_argument | {epoch starts_ms answer ...}
-- Columns: `channel for_late_money length` of each run, then all buyers, all order ids, all units. A run: claims beside each
-- other that want the same channel. Answers: above 0 won, the seq | -2 not_ready | -4 paused | -5 closed | -6 not_started |
-- -7 over | -8 dry | {left}: not enough | a string, the buyer's claims: his order is in it (replay), or the limit is met;
-- behind a bar then those in the other sales of the limit group, whose keys have the same tag and are named like these.
-- domain/gate/decide-claim.ts is the specification. The empty field of buyers holds the epoch, so that a lost hash is told
-- from a sale without buyers.
-- INCLUDE clock numbers marks
local meta, buyers, stream, sales = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local server, identity, deadline_ms, run_count = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])

local now = now_ms()
if not deadline_ms or now > deadline_ms then return -1 end

if not run_count or run_count < 1 or run_count > 256 then return -3 end
local base, count = 4 + 3 * run_count, 0
for run = 1, run_count do
  local length = tonumber(ARGV[4 + 3 * run])
  if not length or length < 1 or length % 1 ~= 0 then return -3 end
  count = count + length
end
if count > 256 or #ARGV ~= base + 3 * count then return -3 end

local known = redis.call('HMGET', buyers, '', unpack(ARGV, base + 1, base + count))
local facts = redis.call('HMGET', meta, 'identity', 'epoch', 'state', 'starts_ms', 'ends_ms', 'limit', 'seq', 'group')
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
    local held = other ~= buyers and redis.pcall('HMGET', other, unpack(ARGV, base + 1, base + count))
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
  for _, mark_state, order, units in string.gmatch(claims, MARK) do
    if mark_state ~= 'e' then live_units = live_units + units end
    if order == order_id and (earlier == nil or earlier == 'e') then earlier = mark_state end
  end
  return earlier, live_units
end

local available, claimed, was_taken = {}, {}, {}
local answers, running, entries = { epoch, digits(starts_ms) }, {}, {}
local i = 0
for run = 1, run_count do
  local channel, is_late_money = ARGV[2 + 3 * run], ARGV[3 + 3 * run] == '1'
  local fence = fence_for(is_late_money)
  if available[channel] == nil then
    local quota = redis.call('HMGET', meta, 'available:' .. channel, 'claimed:' .. channel)
    available[channel], claimed[channel] = tonumber(quota[1] or 'x') or false, tonumber(quota[2] or '0') or 0
  end
  for _ = 1, tonumber(ARGV[4 + 3 * run]) do
    i = i + 1
    local buyer, order_id, units = ARGV[base + i], ARGV[base + count + i], tonumber(ARGV[base + 2 * count + i])
    if not is_units(units) or units == 0 then return -3 end
    local claims = running[buyer] or known[i + 1] or ''
    local earlier, live_units = nil, 0
    if claims ~= '' then earlier, live_units = look(claims, order_id) end
    local others = is_shared and claims_beside(i) or ''
    if others ~= '' then
      local _, units_beside = look(others, order_id)
      live_units = live_units + units_beside
    end
    local left = available[channel]
    local answer
    if earlier and not (is_late_money and earlier == 'e') then answer = claims
    elseif fence ~= 0 then answer = fence
    elseif live_units + units > limit then answer = is_shared and claims .. '|' .. others or claims
    elseif not left then answer = -2
    elseif left == 0 then answer = -8
    elseif left < units then answer = { left }
    else
      seq = seq + 1
      available[channel], claimed[channel], was_taken[channel] = left - units, claimed[channel] + units, true
      local id, written_units = epoch .. '-' .. digits(seq), digits(units)
      running[buyer] = claims .. 'q ' .. order_id .. ' ' .. written_units .. ' ' .. id .. ' ' .. channel .. ';'
      entries[#entries + 1] = { id, order_id, buyer, written_units, channel }
      answer = seq
    end
    answers[i + 2] = answer
  end
end
if #entries == 0 then return answers end

-- Writes. Only the first XADD can fail (memory, a lost stream, an id not above the last), and then nothing is written.
local written_now = digits(now)
for n = 1, #entries do
  local e = entries[n]
  local added = redis.call('XADD', stream, 'NOMKSTREAM', e[1], 'o', e[2], 'b', e[3], 'u', e[4], 'q', e[5], 't', written_now)
  if not added then return -2 end
end
local fields = {}
for buyer, claims in pairs(running) do
  fields[#fields + 1] = buyer
  fields[#fields + 1] = claims
end
redis.call('HSET', buyers, unpack(fields))
-- One HSET of what was read a moment ago in the same script: it cannot meet a value that HINCRBY refuses.
local figures = { 'seq', digits(seq) }
for channel in pairs(was_taken) do
  figures[#figures + 1] = 'available:' .. channel
  figures[#figures + 1] = digits(available[channel])
  figures[#figures + 1] = 'claimed:' .. channel
  figures[#figures + 1] = digits(claimed[channel])
end
redis.call('HSET', meta, unpack(figures))
return answers
