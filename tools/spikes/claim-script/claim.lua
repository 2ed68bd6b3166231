-- claim: decide a batch of purchases for one segment, in order of arrival. Atomic; losers write nothing.
-- KEYS   meta buyers stream
-- ARGV   identity epoch deadline_ms quota count, then count buyers, count order ids, count units
-- REPLY  {code} for the whole batch: -1 late | -2 not_ready | -3 bad_argument
--        {now_ms, available after, answer ...}, an answer being: above 0 won, the seq | -4 paused or closed |
--        -5 not_started | -6 over | -7 dry | a string: the buyer's claims (his order id is in it: replay; else: over_limit)
-- A buyer's claims: one `state order_id units epoch-seq;` each; states q queued, s settled, e ended (counts for nothing).
-- The empty field of buyers holds the epoch, so that a lost hash is told from a sale without buyers.
local meta, buyers, stream = KEYS[1], KEYS[2], KEYS[3]
local identity, epoch, deadline_ms, quota = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]
local count = tonumber(ARGV[5])

local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
if not deadline_ms or now_ms > deadline_ms then return { -1 } end

-- args:begin (run.mjs puts other packings here)
if not count or count < 1 or count > 256 or #ARGV ~= 5 + 3 * count then return { -3 } end
local function claim_at(i) return ARGV[5 + i], ARGV[5 + count + i], tonumber(ARGV[5 + 2 * count + i]) end
local known = redis.call('HMGET', buyers, '', unpack(ARGV, 6, 5 + count))
-- args:end

local available_field, claimed_field = 'available:' .. quota, 'claimed:' .. quota
local facts = redis.call('HMGET', meta, 'identity', 'epoch', 'state', 'starts_ms', 'ends_ms', 'limit', 'seq', available_field, claimed_field)
local starts_ms, ends_ms, limit = tonumber(facts[4]), tonumber(facts[5]), tonumber(facts[6])
local seq, available, claimed = tonumber(facts[7]), tonumber(facts[8]), tonumber(facts[9])
if known[1] ~= epoch or not (starts_ms and ends_ms and limit and seq and available and claimed) then return { -2 } end

-- What a claim meets that is no replay. An unfit gate still answers replays.
local fence = 0
if facts[1] ~= identity or facts[2] ~= epoch then fence = -2
elseif facts[3] ~= 'live' then fence = -4
elseif now_ms < starts_ms then fence = -5
elseif now_ms >= ends_ms then fence = -6 end

local answers, running, entries = { now_ms, available }, {}, {}
local won_units = 0
for i = 1, count do
  local buyer, order_id, units = claim_at(i)
  if not units or units < 1 or units % 1 ~= 0 then return { -3 } end
  local claims = running[buyer] or known[i + 1] or ''
  local answer = fence
  if claims ~= '' and string.find(claims, ' ' .. order_id .. ' ', 1, true) then
    answer = claims
  elseif fence == 0 then
    local held = 0
    for state, n in string.gmatch(claims, '(%a) %S+ (%d+)') do
      if state ~= 'e' then held = held + n end
    end
    if held + units > limit then answer = claims
    elseif units > available then answer = -7
    else
      seq, available, won_units = seq + 1, available - units, won_units + units
      local id = epoch .. '-' .. string.format('%.0f', seq)
      running[buyer] = claims .. 'q ' .. order_id .. ' ' .. string.format('%.0f', units) .. ' ' .. id .. ';'
      entries[#entries + 1] = { id, order_id, buyer, units }
      answer = seq
    end
  end
  answers[i + 2] = answer
end
if #entries == 0 then return answers end

-- Writes. Only the first XADD can fail (memory, a lost stream, an id not above the last), and then nothing is written.
for i = 1, #entries do
  local e = entries[i]
  local added = redis.call('XADD', stream, 'NOMKSTREAM', e[1], 'o', e[2], 'b', e[3], 'u', e[4], 'q', quota)
  if not added then return { -2 } end
end
local fields = {}
for buyer, claims in pairs(running) do
  fields[#fields + 1] = buyer
  fields[#fields + 1] = claims
end
redis.call('HSET', buyers, unpack(fields))
-- One HSET of what was read a moment ago in the same script: it cannot meet a value that HINCRBY refuses.
redis.call('HSET', meta, 'seq', string.format('%.0f', seq), available_field, string.format('%.0f', available),
  claimed_field, string.format('%.0f', claimed + won_units))
answers[2] = available
return answers
