/** Written by `npm run generate` from lua/. Change the scripts instead. */
import type { Script } from './script.ts';

const ADMIT = `local function admit(call, meta, buyers, epoch)
  local deadline_ms = tonumber(call.deadline_ms)
  if not deadline_ms or now_ms() > deadline_ms then return -1 end
  local facts = redis.call('HMGET', meta, 'identity', 'epoch')
  if call.server ~= call.identity or facts[1] ~= call.identity then return -2 end
  if not facts[2] or redis.call('HGET', buyers, '') ~= facts[2] then return -2 end
  if epoch ~= '' and epoch ~= facts[2] then return -2 end
  return 0
end`;

const CLOCK = `local function now_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end`;

const DEPTH = `local function count_queued(meta, change)
  if change == 0 or redis.call('TYPE', meta).ok ~= 'hash' then return end
  local queued = tonumber(redis.call('HGET', meta, 'queued') or 'x')
  if queued then redis.call('HSET', meta, 'queued', digits(math.max(0, queued + change))) end
end`;

const DIVIDED = `local FREE, REMOVED = 0, -1
local function is_hash(key)
  return redis.call('TYPE', key).ok == 'hash'
end
local function read_states(text, size)
  local is_read, runs = pcall(cjson.decode, text or '')
  if not is_read or type(runs) ~= 'table' then return nil end
  local states = {}
  for at = 1, #runs, 2 do
    local state, length = tonumber(runs[at]), tonumber(runs[at + 1])
    if not state or not length or #states + length > size then return nil end
    for _ = 1, length do states[#states + 1] = state end
  end
  return #states == size and states or nil
end
local function states_of(divided, opened)
  return is_hash(divided) and read_states(redis.call('HGET', divided, opened.id), opened.size) or nil
end
local function all_of(state, size)
  local states = {}
  for index = 1, size do states[index] = state end
  return states
end
local function keep_states(divided, id, states)
  local runs = {}
  for _, state in ipairs(states) do
    if runs[#runs - 1] == state then runs[#runs] = runs[#runs] + 1
    else runs[#runs + 1], runs[#runs + 2] = state, 1 end
  end
  local kind = redis.call('TYPE', divided).ok
  if kind ~= 'hash' and kind ~= 'none' then redis.call('UNLINK', divided) end
  redis.call('HSET', divided, id, cjson.encode(runs))
end
local function show(shown, index)
  if #shown > 2 and shown[#shown] == index - 1 then shown[#shown] = index
  else shown[#shown + 1], shown[#shown + 2] = index, index end
end`;

const ENTRIES = `local MAX_CLAIMS = 256
local function parts_of(entry)
  local part, fields, runs = {}, entry[2], {}
  for at = 1, #fields, 2 do
    local units, channel = string.match(fields[at], '^(%d+) (.*)$')
    if units then runs[#runs + 1] = { units = units, channel = channel, value = fields[at + 1] }
    else part[fields[at]] = fields[at + 1] end
  end
  local epoch, last = string.match(entry[1], '^(%d+)-(%d+)$')
  local opened = { id = entry[1], epoch = epoch, last = tonumber(last), part = part, runs = runs, size = 1 }
  opened.claimed_at_ms = part.at or runs[#runs] and runs[#runs].value
  if not part.orders then return opened end
  local size = 0
  for _, run in ipairs(runs) do
    run.length = tonumber(run.value) or 0
    size = size + (is_units(run.length) and run.length or MAX_CLAIMS)
  end
  if size >= 1 and size <= MAX_CLAIMS then opened.size = size else opened.part = {} end
  return opened
end
local function list_of(json)
  local is_read, list = pcall(cjson.decode, json or '')
  return is_read and type(list) == 'table' and list or {}
end
local function index_in(opened, order_id, position, channel)
  local part, runs = opened.part, opened.runs
  if not part.orders then
    local is_it = part.o == order_id and runs[#runs] and runs[#runs].channel == channel and (part.p or opened.id) == position
    return is_it and 1 or nil
  end
  local epoch, seq = string.match(position, '^(%d+)-(%d+)$')
  local index = epoch == opened.epoch and seq - opened.last + opened.size or 0
  if index < 1 or index > opened.size then return nil end
  local through = 0
  for _, run in ipairs(runs) do
    through = through + run.length
    if index <= through then
      if run.channel ~= channel then return nil end
      break
    end
  end
  local width = #order_id + 3
  if string.sub(part.orders, 2 + (index - 1) * width, index * width) == '"' .. order_id .. '"' then return index end
  opened.order_ids = opened.order_ids or list_of(part.orders)
  return opened.order_ids[index] == order_id and index or nil
end
local function claims_of(opened)
  local part, runs, claims = opened.part, opened.runs, {}
  if not part.orders then
    local run = runs[#runs]
    if part.o and part.b and run then claims[1] = { part.o, run.units, part.p or opened.id, run.channel, part.b } end
    return claims
  end
  local order_ids, buyers = list_of(part.orders), list_of(part.buyers)
  if #order_ids ~= opened.size or #buyers ~= opened.size then return claims end
  for _, run in ipairs(runs) do
    for _ = 1, run.length do
      local index = #claims + 1
      local position = opened.epoch .. '-' .. digits(opened.last - opened.size + index)
      claims[index] = { order_ids[index], run.units, position, run.channel, buyers[index] }
    end
  end
  return claims
end
local function step_for(max, entries, claims)
  return math.min(64, math.ceil(max * (entries or 1) / (claims or MAX_CLAIMS)))
end
local function walk(stream, from, through, max, visit)
  local seen, step = 0, step_for(max)
  while true do
    local entries = redis.call('XRANGE', stream, from, through, 'COUNT', step)
    local claims = 0
    for _, entry in ipairs(entries) do
      local opened = parts_of(entry)
      visit(opened, entry)
      seen, claims = seen + opened.size, claims + opened.size
      if seen >= max then return entry[1] end
    end
    if #entries < step then return '' end
    from = '(' .. entries[step][1]
    step = step_for(max - seen, #entries, claims)
  end
end`;

const FIND_CLAIM = `local function finder(stream, again, divided)
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
end`;

const MARKS = `local MAIN_CHANNEL = 'main'
local MARK = '()(%a) ?(%S+) ([^;]*);'
local function units_of(rest)
  return tonumber(string.match(rest, '^(%d+) ') or 1)
end
local function read_rest(rest)
  local units, position, channel = string.match(rest, '^(%d+) (%S+) (.*)$')
  if units then return units, position, channel end
  return '1', rest, MAIN_CHANNEL
end
local function mark_format(units, epoch, channel)
  if units == '1' and channel == MAIN_CHANNEL then return 'q%s ' .. epoch .. '-%d;' end
  return 'q %s ' .. units .. ' ' .. epoch .. '-%d ' .. string.gsub(channel, '%%', '%%%%') .. ';'
end
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
end`;

const NUMBERS = `local MAX_UNITS = 9007199254740991
local function digits(number)
  return string.format('%.0f', number)
end
local function is_units(number)
  return number and number >= 0 and number % 1 == 0 and number <= MAX_UNITS
end`;

/**
 * take entries that cannot be read out of the queue and keep what they say, as many as the segment's grave has room for.
 * Reply: 1 buried | 2 full | -3 bad_argument
 */
export const BURY = {
  name: 'bury',
  keys: ['meta', 'stream', 'buried', 'divided'],
  arguments: ['room', 'count'],
  takesMore: true,
  words: { '1': 'buried', '2': 'full', '-3': 'bad_argument' },
  lua: `${NUMBERS}
${ENTRIES}
${DIVIDED}
${DEPTH}
local meta, stream, buried, divided = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local room, count = tonumber(ARGV[1]), tonumber(ARGV[2])
if not room or not count or count < 1 or #ARGV ~= 2 + count then return -3 end
local kind = redis.call('TYPE', buried).ok
if kind ~= 'hash' and kind ~= 'none' then redis.call('UNLINK', buried) end
for i = 1, count do
  local id = ARGV[2 + i]
  local entry = redis.call('XRANGE', stream, id, id)[1]
  if entry then
    if redis.call('HLEN', buried) >= room then return 2 end
    local opened = parts_of(entry)
    local queued = 0
    for _, state in ipairs(states_of(divided, opened) or all_of(FREE, opened.size)) do
      if state ~= REMOVED then queued = queued + 1 end
    end
    redis.call('HSET', buried, id, string.sub(table.concat(entry[2], ' '), 1, 2000))
    redis.call('XACK', stream, 'workers', id)
    redis.call('XDEL', stream, id)
    if is_hash(divided) then redis.call('HDEL', divided, id) end
    count_queued(meta, -queued)
  end
end
return 1`,
} as const satisfies Script;

/**
 * decide a batch of purchases for one segment, in order of arrival. Atomic; losers write nothing.
 * Reply: -1 late | -2 not_ready | -3 bad_argument | {epoch starts_ms length answer ...}
 */
export const CLAIM = {
  name: 'claim',
  keys: ['meta', 'buyers', 'stream', 'sales'],
  arguments: ['server', 'identity', 'deadline_ms', 'buyer_ids', 'order_ids'],
  takesMore: true,
  words: { '-1': 'late', '-2': 'not_ready', '-3': 'bad_argument' },
  lua: `${CLOCK}
${NUMBERS}
${MARKS}
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
local function fence_for(is_late_money)
  if server ~= identity or facts[1] ~= identity or state == 'draft' then return -2 end
  if state ~= 'live' and state ~= 'paused' then return -5 end
  if is_late_money then return 0 end
  if state == 'paused' then return -4 end
  if now < starts_ms then return -6 end
  if now >= ends_ms then return -7 end
  return 0
end
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
local function look(claims, order_id)
  local earlier, live_units = nil, 0
  for _, mark_state, order, rest in string.gmatch(claims, MARK) do
    if mark_state ~= 'e' then live_units = live_units + units_of(rest) end
    if order == order_id and (earlier == nil or earlier == 'e') then earlier = mark_state end
  end
  return earlier, live_units
end
local order_ids
local function order_id_of(i)
  order_ids = order_ids or cjson.decode(ARGV[5])
  return order_ids[i]
end
local answers, answer_count, run_length, next_answer = { epoch, digits(starts_ms) }, 2, 0, nil
local available, claimed, was_taken, running, fields, field_count = {}, {}, {}, {}, {}, 0
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
local id, won_count, written_now = format('%s-%d', epoch, seq), #won_orders, digits(now)
if won_count == 1 then
  call('XADD', stream, id, 'o', won_orders[1], 'b', fields[1], won_runs[1], written_now)
else
  local won_buyers, is_all = {}, won_count == count
  for at = 1, is_all and 0 or won_count do won_buyers[at] = fields[2 * at - 1] end
  call('XADD', stream, id, 'orders', is_all and ARGV[5] or cjson.encode(won_orders),
    'buyers', is_all and ARGV[4] or cjson.encode(won_buyers), 'at', written_now, unpack(won_runs))
end
redis.call('HSET', buyers, unpack(fields))
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
return answers`,
} as const satisfies Script;

/**
 * put a move's units into a quota. Atomic; a repeat is harmless.
 * Reply: 1 credited | 2 repeated | -1 late | -2 not_ready | -3 bad_argument
 */
export const CREDIT = {
  name: 'credit',
  keys: ['meta', 'buyers', 'moves'],
  arguments: ['server', 'identity', 'deadline_ms', 'epoch', 'move_id', 'channel', 'units'],
  takesMore: false,
  words: { '1': 'credited', '2': 'repeated', '-1': 'late', '-2': 'not_ready', '-3': 'bad_argument' },
  lua: `${CLOCK}
${ADMIT}
${NUMBERS}
local meta, buyers, moves = KEYS[1], KEYS[2], KEYS[3]
local call = { server = ARGV[1], identity = ARGV[2], deadline_ms = ARGV[3] }
local epoch, move_field, quota_field = ARGV[4], 'credit:' .. ARGV[5], 'available:' .. ARGV[6]
local total_field = 'credited:' .. ARGV[6]
local units = tonumber(ARGV[7])
if not is_units(units) or units == 0 then return -3 end
local refused = admit(call, meta, buyers, epoch)
if refused ~= 0 then return refused end
if redis.call('HEXISTS', moves, move_field) == 1 then return 2 end
local facts = redis.call('HMGET', meta, quota_field, 'generation', total_field)
local available, generation, total = tonumber(facts[1] or 'x'), tonumber(facts[2] or 'x'), tonumber(facts[3] or '0') or 0
if not available or not generation then return -2 end
if not is_units(available + units) then return -3 end
redis.call('HSET', moves, move_field, digits(units))
redis.call('HSET', meta, 'generation', digits(generation + 1), quota_field, digits(available + units),
  total_field, digits(total + units))
return 1`,
} as const satisfies Script;

/**
 * take what a quota has, up to what is asked for, out of it. The figure is remembered by the move, and told again.
 * Reply: -1 late | -2 not_ready | -3 bad_argument | {is_repeated units}
 */
export const DEBIT = {
  name: 'debit',
  keys: ['meta', 'buyers', 'moves'],
  arguments: ['server', 'identity', 'deadline_ms', 'epoch', 'move_id', 'channel', 'units'],
  takesMore: false,
  words: { '-1': 'late', '-2': 'not_ready', '-3': 'bad_argument' },
  lua: `${CLOCK}
${ADMIT}
${NUMBERS}
local meta, buyers, moves = KEYS[1], KEYS[2], KEYS[3]
local call = { server = ARGV[1], identity = ARGV[2], deadline_ms = ARGV[3] }
local epoch, move_field, quota_field = ARGV[4], 'debit:' .. ARGV[5], 'available:' .. ARGV[6]
local total_field = 'debited:' .. ARGV[6]
local units = ARGV[7] == 'all' and MAX_UNITS or tonumber(ARGV[7])
if not is_units(units) or units == 0 then return -3 end
local refused = admit(call, meta, buyers, epoch)
if refused ~= 0 then return refused end
local remembered = tonumber(redis.call('HGET', moves, move_field) or 'x')
if remembered then return { 1, remembered } end
local facts = redis.call('HMGET', meta, quota_field, total_field)
local available, total = tonumber(facts[1] or 'x'), tonumber(facts[2] or '0') or 0
if not available then return -2 end
local debited = math.min(units, available)
redis.call('HSET', moves, move_field, digits(debited))
redis.call('HSET', meta, quota_field, digits(available - debited), total_field, digits(total + debited))
return { 0, debited }`,
} as const satisfies Script;

/**
 * put a whole segment in place of the one that is there, from what was staged before; its stream stays. Atomic.
 * Reply: 1 loaded | -1 late | -2 not_ready | -3 bad_argument | -4 half_staged
 */
export const LOAD = {
  name: 'load',
  keys: [
    'meta',
    'buyers',
    'stream',
    'loose',
    'released',
    'moves',
    'sales',
    'divided',
    'staged_buyers',
    'staged_loose',
    'staged_released',
  ],
  arguments: [
    'server',
    'identity',
    'deadline_ms',
    'epoch',
    'version',
    'state',
    'starts_ms',
    'ends_ms',
    'limit',
    'buyer_count',
    'loose_count',
    'released_count',
    'sale',
    'group',
  ],
  takesMore: true,
  words: { '1': 'loaded', '-1': 'late', '-2': 'not_ready', '-3': 'bad_argument', '-4': 'half_staged' },
  lua: `${CLOCK}
${NUMBERS}
local meta, buyers, stream, loose, released, moves = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local sales, divided, staged_buyers, staged_loose, staged_released = KEYS[7], KEYS[8], KEYS[9], KEYS[10], KEYS[11]
local server, identity, deadline_ms, epoch = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local version, state, starts_ms, ends_ms = tonumber(ARGV[5]), ARGV[6], tonumber(ARGV[7]), tonumber(ARGV[8])
local limit = tonumber(ARGV[9])
local buyer_count, loose_count, released_count = tonumber(ARGV[10]), tonumber(ARGV[11]), tonumber(ARGV[12])
local sale, group = ARGV[13], ARGV[14]
if not deadline_ms or now_ms() > deadline_ms then return -1 end
if server ~= identity then return -2 end
if not (is_units(epoch) and is_units(version) and starts_ms and ends_ms and is_units(limit)) then return -3 end
if #ARGV % 2 ~= 0 or #ARGV > 512 then return -3 end
for at = 16, #ARGV, 2 do
  if not is_units(tonumber(ARGV[at])) then return -3 end
end
local function kind(key) return redis.call('TYPE', key).ok end
local generation, queued = 0, false
if kind(meta) == 'hash' then
  local facts = redis.call('HMGET', meta, 'epoch', 'generation', 'queued')
  if facts[1] and epoch <= (tonumber(facts[1]) or 0) then return -2 end
  generation, queued = tonumber(facts[2] or 0) or 0, facts[3]
end
local function staged(key, size, count) return (count > 0 and redis.call(size, key) or 0) == count end
if not (staged(staged_buyers, 'HLEN', buyer_count) and staged(staged_loose, 'HLEN', loose_count)
  and staged(staged_released, 'SCARD', released_count)) then return -4 end
local function is_ahead()
  local info = redis.call('XINFO', 'STREAM', stream)
  for at = 1, #info, 2 do
    if info[at] == 'last-generated-id' then return tonumber(string.match(info[at + 1], '^%d+')) >= epoch end
  end
end
local has_group, stream_kind = false, kind(stream)
if stream_kind == 'stream' and is_ahead() then
  redis.call('UNLINK', stream)
elseif stream_kind == 'stream' then
  for _, group in ipairs(redis.call('XINFO', 'GROUPS', stream)) do
    if group[2] == 'workers' then has_group = true end
  end
elseif stream_kind ~= 'none' then redis.call('UNLINK', stream) end
if not has_group then redis.call('XGROUP', 'CREATE', stream, 'workers', '0', 'MKSTREAM') end
redis.call('UNLINK', meta, buyers, loose, released, moves)
if redis.call('XLEN', stream) == 0 then
  redis.call('UNLINK', divided)
  queued = '0'
end
if queued then redis.call('HSET', meta, 'queued', queued) end
local function take(staged_key, key, count)
  if count == 0 then return end
  redis.call('RENAME', staged_key, key)
  redis.call('PERSIST', key)
end
take(staged_buyers, buyers, buyer_count)
take(staged_loose, loose, loose_count)
take(staged_released, released, released_count)
redis.call('HSET', buyers, '', digits(epoch))
if group ~= '' then
  if kind(sales) ~= 'set' then redis.call('UNLINK', sales) end
  redis.call('SADD', sales, sale)
  redis.call('HSET', meta, 'group', group)
end
redis.call('HSET', meta, 'identity', identity, 'epoch', digits(epoch), 'version', digits(version), 'state', state,
  'starts_ms', digits(starts_ms), 'ends_ms', digits(ends_ms), 'limit', digits(limit), 'seq', '0',
  'generation', digits(generation + 1))
for at = 15, #ARGV, 2 do
  local units = digits(tonumber(ARGV[at + 1]))
  redis.call('HSET', meta, 'available:' .. ARGV[at], units, 'loaded:' .. ARGV[at], units)
end
return 1`,
} as const satisfies Script;

/**
 * note which claims the ledger has. Unknown ones are ignored; an ended mark stays ended.
 * Reply: 1 marked | -1 late | -2 not_ready | -3 bad_argument
 */
export const MARK_SETTLED = {
  name: 'mark-settled',
  keys: ['meta', 'buyers', 'loose'],
  arguments: ['server', 'identity', 'deadline_ms', 'count'],
  takesMore: true,
  words: { '1': 'marked', '-1': 'late', '-2': 'not_ready', '-3': 'bad_argument' },
  lua: `${CLOCK}
${ADMIT}
${MARKS}
local meta, buyers, loose = KEYS[1], KEYS[2], KEYS[3]
local call = { server = ARGV[1], identity = ARGV[2], deadline_ms = ARGV[3] }
local count = tonumber(ARGV[4])
if not count or count < 0 or count > 256 or #ARGV ~= 4 + 4 * count then return -3 end
local refused = admit(call, meta, buyers, '')
if refused ~= 0 then return refused end
redis.call('HLEN', loose)
if count == 0 then return 1 end
local known = redis.call('HMGET', buyers, unpack(ARGV, 5, 4 + count))
local running, fields, gone = {}, {}, {}
for i = 1, count do
  local buyer, order_id = ARGV[4 + i], ARGV[4 + count + i]
  local position, channel = ARGV[4 + 2 * count + i], ARGV[4 + 3 * count + i]
  local claims = running[buyer] or known[i]
  local at, state = find_mark(claims, order_id, position, channel)
  if state == 'q' then
    running[buyer] = with_state(claims, at, 's')
    gone[#gone + 1] = order_id .. ' ' .. position .. ' ' .. channel
  end
end
if #gone == 0 then return 1 end
for buyer, claims in pairs(running) do
  fields[#fields + 1] = buyer
  fields[#fields + 1] = claims
end
redis.call('HSET', buyers, unpack(fields))
redis.call('HDEL', loose, unpack(gone))
return 1`,
} as const satisfies Script;

/**
 * how many claims a segment's queue holds, and the age of the oldest in ms; -1 when there is none.
 * Reply: {claims oldest_age_ms}
 */
export const QUEUE_DEPTH = {
  name: 'queue-depth',
  keys: ['meta', 'stream', 'divided'],
  arguments: [],
  takesMore: false,
  words: {},
  lua: `${CLOCK}
${NUMBERS}
${ENTRIES}
${DIVIDED}
local meta, stream, divided = KEYS[1], KEYS[2], KEYS[3]
local SHORT = 16
local length = redis.call('XLEN', stream)
if length == 0 then return { 0, -1 } end
local oldest_at_ms
local queued = is_hash(meta) and redis.call('HGET', meta, 'queued')
local known = tonumber(queued or 'x')
if length <= SHORT then
  local counted = 0
  for _, entry in ipairs(redis.call('XRANGE', stream, '-', '+')) do
    local opened = parts_of(entry)
    oldest_at_ms = oldest_at_ms or tonumber(opened.claimed_at_ms or 'x') or now_ms()
    for _, state in ipairs(states_of(divided, opened) or all_of(FREE, opened.size)) do
      if state ~= REMOVED then counted = counted + 1 end
    end
  end
  if queued and known ~= counted then redis.call('HSET', meta, 'queued', digits(counted)) end
  known = counted
else
  local oldest = parts_of(redis.call('XRANGE', stream, '-', '+', 'COUNT', 1)[1])
  oldest_at_ms = tonumber(oldest.claimed_at_ms or 'x') or now_ms()
end
return { math.max(length, math.min(known or 0, length * MAX_CLAIMS)), math.max(0, now_ms() - oldest_at_ms) }`,
} as const satisfies Script;

/**
 * a page of what the queue of a segment holds, read or not.
 * Reply: {last {id fields from through ...} ...}
 */
export const QUEUE_PEEK = {
  name: 'queue-peek',
  keys: ['stream', 'divided'],
  arguments: ['from', 'max'],
  takesMore: false,
  words: {},
  lua: `${NUMBERS}
${ENTRIES}
${DIVIDED}
local stream, divided = KEYS[1], KEYS[2]
local from, max = ARGV[1], tonumber(ARGV[2])
local reply = { '' }
reply[1] = walk(stream, from, '+', max, function(opened, entry)
  local states = states_of(divided, opened)
  local shown = { entry[1], entry[2] }
  for index, state in ipairs(states or {}) do
    if state ~= REMOVED then show(shown, index) end
  end
  if not states or #shown > 2 then reply[#reply + 1] = shown end
end)
return reply`,
} as const satisfies Script;

/**
 * up to max claims in order: those whose reader has been silent for too long, then new ones.
 * Reply: {{id fields from through ...} ...}
 */
export const QUEUE_READ = {
  name: 'queue-read',
  keys: ['stream', 'again', 'divided'],
  arguments: ['consumer', 'take_over_ms', 'max', 'forget_ms'],
  takesMore: false,
  words: {},
  lua: `${CLOCK}
${NUMBERS}
${ENTRIES}
${DIVIDED}
local stream, again, divided = KEYS[1], KEYS[2], KEYS[3]
local consumer, take_over_ms, max, forget_ms = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
if redis.call('EXISTS', stream) == 0 or max < 1 then return {} end
local has_group, readers, last_read = false, 0, '0-0'
for _, group in ipairs(redis.call('XINFO', 'GROUPS', stream)) do
  if group[2] == 'workers' then has_group, readers, last_read = true, group[4], group[8] end
end
if not has_group then redis.call('XGROUP', 'CREATE', stream, 'workers', '0') end
if readers > 32 then
  for _, reader in ipairs(redis.call('XINFO', 'CONSUMERS', stream, 'workers')) do
    if reader[2] ~= consumer and reader[4] == 0 and reader[6] >= forget_ms then
      redis.call('XGROUP', 'DELCONSUMER', stream, 'workers', reader[2])
    end
  end
end
local again_kind = redis.call('TYPE', again).ok
local is_index = again_kind == 'hash' or again_kind == 'none'
local now, left, reply = now_ms(), max, {}
local function lend(entry)
  local opened = parts_of(entry)
  local part, run = opened.part, opened.runs[#opened.runs]
  if is_index and part.o and run and string.match(part.p or '', '^%d+%-%d+$') then
    redis.call('HSET', again, part.o .. ' ' .. part.p .. ' ' .. run.channel, opened.id)
  end
  local states = states_of(divided, opened)
  if not states and opened.size <= left then
    left, reply[#reply + 1] = left - opened.size, entry
    return opened.size
  end
  states = states or all_of(FREE, opened.size)
  local lent = { entry[1], entry[2] }
  for index, state in ipairs(states) do
    if left > 0 and state ~= REMOVED and (state == FREE or state <= now - take_over_ms) then
      left, states[index] = left - 1, now
      show(lent, index)
    end
  end
  keep_states(divided, opened.id, states)
  if #lent > 2 then reply[#reply + 1] = lent end
  return opened.size
end
local waiting, is_divided = {}, {}
local function wait(id)
  local epoch, seq = string.match(id, '^(%d+)-(%d+)$')
  if epoch then waiting[#waiting + 1] = { id = id, epoch = tonumber(epoch), seq = tonumber(seq) } end
end
local function is_before(one, other)
  if one.epoch ~= other.epoch then return one.epoch < other.epoch end
  return one.seq < other.seq
end
local divided_ids = is_hash(divided) and redis.call('HKEYS', divided) or {}
for _, id in ipairs(divided_ids) do
  is_divided[id] = true
  wait(id)
end
for _, found in ipairs(redis.call('XPENDING', stream, 'workers', 'IDLE', take_over_ms, '-', '+', max + #divided_ids)) do
  if not is_divided[found[1]] then wait(found[1]) end
end
table.sort(waiting, is_before)
local read_epoch, read_seq = string.match(last_read, '^(%d+)-(%d+)$')
local read_through = { epoch = tonumber(read_epoch), seq = tonumber(read_seq) }
for _, at in ipairs(waiting) do
  if left == 0 or is_before(read_through, at) then break end
  local entry
  if is_divided[at.id] then entry = redis.call('XRANGE', stream, at.id, at.id)[1]
  else entry = redis.call('XCLAIM', stream, 'workers', consumer, take_over_ms, at.id)[1] end
  if entry then lend(entry)
  else
    redis.call('XACK', stream, 'workers', at.id)
    if is_divided[at.id] then redis.call('HDEL', divided, at.id) end
  end
end
local step = step_for(left)
while left > 0 do
  local fresh = redis.call('XREADGROUP', 'GROUP', 'workers', consumer, 'COUNT', step, 'STREAMS', stream, '>')
  local entries, claims = fresh and fresh[1][2] or {}, 0
  for _, entry in ipairs(entries) do claims = claims + lend(entry) end
  if #entries < step then break end
  step = step_for(left, #entries, claims)
end
return reply`,
} as const satisfies Script;

/**
 * take the named claims out of the queue; an entry of which none is left is acknowledged and deleted. A name that
 * Reply: 1 removed | -3 bad_argument
 */
export const QUEUE_REMOVE = {
  name: 'queue-remove',
  keys: ['meta', 'buyers', 'stream', 'loose', 'again', 'divided'],
  arguments: ['count'],
  takesMore: true,
  words: { '1': 'removed', '-3': 'bad_argument' },
  lua: `${CLOCK}
${NUMBERS}
${ENTRIES}
${DIVIDED}
${DEPTH}
${FIND_CLAIM}
${MARKS}
local meta, buyers, stream, loose, again, divided = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local count = tonumber(ARGV[1])
if not count or count < 1 or count > 256 or #ARGV ~= 1 + 4 * count then return -3 end
redis.call('HLEN', loose)
local find_claim = finder(stream, again, divided)
local touched, removed, unqueued, requeued = {}, 0, {}, {}
local known = redis.call('HMGET', buyers, unpack(ARGV, 2 + 3 * count, 1 + 4 * count))
for i = 1, count do
  local position, order_id = ARGV[1 + i], ARGV[1 + count + i]
  local channel, buyer = ARGV[1 + 2 * count + i], ARGV[1 + 3 * count + i]
  local opened, index = find_claim(order_id, position, channel)
  local entry = opened and (touched[opened.id] or { opened = opened, gone = {}, gone_count = 0 })
  if entry and not entry.gone[index] then
    touched[opened.id], entry.gone[index], entry.gone_count = entry, true, entry.gone_count + 1
    removed = removed + 1
    if opened.part.p then requeued[#requeued + 1] = order_id .. ' ' .. position .. ' ' .. channel end
    local _, state, units = find_mark(known[i], order_id, position, channel)
    if state == 'q' then
      unqueued[#unqueued + 1] = order_id .. ' ' .. position .. ' ' .. channel
      unqueued[#unqueued + 1] = units .. ' ' .. buyer
    end
  end
end
if removed == 0 then return 1 end
if #unqueued > 0 then redis.call('HSET', loose, unpack(unqueued)) end
local function lent_with(id)
  local pending = redis.call('XPENDING', stream, 'workers', id, id, 1)[1]
  return pending and now_ms() - pending[3] or FREE
end
local is_divided = is_hash(divided)
for id, entry in pairs(touched) do
  local size, states = entry.opened.size, entry.opened.states
  local left = size - entry.gone_count
  for _, state in ipairs(states or {}) do
    if state == REMOVED then left = left - 1 end
  end
  if left == 0 then
    redis.call('XACK', stream, 'workers', id)
    redis.call('XDEL', stream, id)
    if is_divided then redis.call('HDEL', divided, id) end
  else
    states = states or all_of(lent_with(id), size)
    for index in pairs(entry.gone) do states[index] = REMOVED end
    keep_states(divided, id, states)
  end
end
count_queued(meta, -removed)
if #requeued > 0 then redis.call('HDEL', again, unpack(requeued)) end
return 1`,
} as const satisfies Script;

/**
 * what the gate knows of a segment, and a page of its unsettled claims; the first page is of one moment.
 * Reply: 0 absent | {meta moves released claims last}
 */
export const READ = {
  name: 'read',
  keys: ['meta', 'buyers', 'stream', 'loose', 'released', 'moves'],
  arguments: ['from', 'through', 'max'],
  takesMore: false,
  words: { '0': 'absent' },
  lua: `${NUMBERS}
${ENTRIES}
${MARKS}
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
return { redis.call('HGETALL', meta), redis.call('HGETALL', moves), redis.call('SMEMBERS', released), claims, last }`,
} as const satisfies Script;

/**
 * end a claim: free its buyer's limit, and give its units back to the quota that sold it. Once per claim.
 * Reply: 1 released | 2 repeated | 3 unknown_claim | -1 late | -2 not_ready | -3 bad_argument
 */
export const RELEASE = {
  name: 'release',
  keys: ['meta', 'buyers', 'loose', 'released'],
  arguments: ['server', 'identity', 'deadline_ms', 'epoch', 'buyer', 'order_id', 'position', 'channel', 'destination'],
  takesMore: false,
  words: {
    '1': 'released',
    '2': 'repeated',
    '3': 'unknown_claim',
    '-1': 'late',
    '-2': 'not_ready',
    '-3': 'bad_argument',
  },
  lua: `${CLOCK}
${ADMIT}
${NUMBERS}
${MARKS}
local meta, buyers, loose, released = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local call = { server = ARGV[1], identity = ARGV[2], deadline_ms = ARGV[3] }
local epoch, buyer, order_id, position, channel = ARGV[4], ARGV[5], ARGV[6], ARGV[7], ARGV[8]
local refused = admit(call, meta, buyers, epoch)
if refused ~= 0 then return refused end
redis.call('HLEN', loose)
redis.call('SCARD', released)
local claims = redis.call('HGET', buyers, buyer) or ''
local at, state, units = find_mark(claims, order_id, position, channel)
if not at then return 3 end
if state == 'e' then return 2 end
local name = order_id .. ' ' .. position .. ' ' .. channel
local function end_claim()
  redis.call('HSET', buyers, buyer, with_state(claims, at, 'e'))
  redis.call('HDEL', loose, name)
  redis.call('SADD', released, name)
  return 1
end
if ARGV[9] == 'centre' then return end_claim() end
if ARGV[9] ~= 'quota' then return -3 end
local quota_field, total_field = 'available:' .. channel, 'released:' .. channel
local facts = redis.call('HMGET', meta, quota_field, 'generation', total_field)
local available, generation, total = tonumber(facts[1] or 'x'), tonumber(facts[2] or 'x'), tonumber(facts[3] or '0') or 0
if not available or not generation then return -2 end
if not is_units(available + tonumber(units)) then return -3 end
end_claim()
redis.call('HSET', meta, 'generation', digits(generation + 1), quota_field, digits(available + tonumber(units)),
  total_field, digits(total + tonumber(units)))
return 1`,
} as const satisfies Script;

/**
 * give claims that are unsettled and have no entry one again. Its id is new, for ids only rise; the claim keeps its
 * Reply: 1 requeued | -1 late | -2 not_ready | -3 bad_argument
 */
export const REQUEUE = {
  name: 'requeue',
  keys: ['meta', 'buyers', 'stream', 'again', 'divided'],
  arguments: ['server', 'identity', 'deadline_ms', 'count'],
  takesMore: true,
  words: { '1': 'requeued', '-1': 'late', '-2': 'not_ready', '-3': 'bad_argument' },
  lua: `${CLOCK}
${ADMIT}
${NUMBERS}
${ENTRIES}
${DIVIDED}
${DEPTH}
${FIND_CLAIM}
${MARKS}
local meta, buyers, stream, again, divided = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local call = { server = ARGV[1], identity = ARGV[2], deadline_ms = ARGV[3] }
local count = tonumber(ARGV[4])
if not count or count < 1 or count > 256 or #ARGV ~= 4 + 4 * count then return -3 end
local refused = admit(call, meta, buyers, '')
if refused ~= 0 then return refused end
local facts = redis.call('HMGET', meta, 'epoch', 'seq')
local seq = tonumber(facts[2] or 'x')
if not seq or redis.call('TYPE', stream).ok ~= 'stream' then return -2 end
local again_kind = redis.call('TYPE', again).ok
if again_kind ~= 'hash' and again_kind ~= 'none' then redis.call('UNLINK', again) end
local written_now, before = digits(now_ms()), seq
local find_claim = finder(stream, again, divided)
for i = 1, count do
  local buyer, order_id = ARGV[4 + i], ARGV[4 + count + i]
  local position, channel = ARGV[4 + 2 * count + i], ARGV[4 + 3 * count + i]
  local _, state, units = find_mark(redis.call('HGET', buyers, buyer), order_id, position, channel)
  if state == 'q' and not find_claim(order_id, position, channel) then
    local id = facts[1] .. '-' .. digits(seq + 1)
    redis.call('XADD', stream, id, 'o', order_id, 'b', buyer, units .. ' ' .. channel, written_now, 'p', position)
    seq = seq + 1
    redis.call('HSET', meta, 'seq', digits(seq))
    redis.call('HSET', again, order_id .. ' ' .. position .. ' ' .. channel, id)
  end
end
count_queued(meta, seq - before)
return 1`,
} as const satisfies Script;

/**
 * change what claims are judged by. Older terms never replace newer ones.
 * Reply: 1 set | 2 stale | -1 late | -2 not_ready | -3 bad_argument
 */
export const SET_TERMS = {
  name: 'set-terms',
  keys: ['meta', 'buyers'],
  arguments: ['server', 'identity', 'deadline_ms', 'epoch', 'version', 'state', 'starts_ms', 'ends_ms', 'limit'],
  takesMore: false,
  words: { '1': 'set', '2': 'stale', '-1': 'late', '-2': 'not_ready', '-3': 'bad_argument' },
  lua: `${CLOCK}
${ADMIT}
${NUMBERS}
local meta, buyers = KEYS[1], KEYS[2]
local call = { server = ARGV[1], identity = ARGV[2], deadline_ms = ARGV[3] }
local epoch, version, state = ARGV[4], tonumber(ARGV[5]), ARGV[6]
local starts_ms, ends_ms, limit = tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9])
if not (is_units(version) and starts_ms and ends_ms and is_units(limit)) then return -3 end
local refused = admit(call, meta, buyers, epoch)
if refused ~= 0 then return refused end
local facts = redis.call('HMGET', meta, 'version', 'state', 'starts_ms', 'ends_ms', 'limit', 'generation')
local known_version, generation = tonumber(facts[1] or 'x'), tonumber(facts[6] or 'x')
if not known_version or not generation then return -2 end
if version < known_version then return 2 end
local is_same = version == known_version and state == facts[2] and starts_ms == tonumber(facts[3])
  and ends_ms == tonumber(facts[4]) and limit == tonumber(facts[5])
if is_same then return 1 end
if state == 'live' then generation = generation + 1 end
redis.call('HSET', meta, 'version', digits(version), 'state', state, 'starts_ms', digits(starts_ms),
  'ends_ms', digits(ends_ms), 'limit', digits(limit), 'generation', digits(generation))
return 1`,
} as const satisfies Script;

/**
 * of a page of buyers, the claims that are unsettled and are not in the queue.
 * Reply: {cursor position is_waiting claims}
 */
export const STRAYS = {
  name: 'strays',
  keys: ['meta', 'buyers', 'stream', 'again', 'divided'],
  arguments: ['cursor', 'max', 'looks_up'],
  takesMore: false,
  words: {},
  lua: `${NUMBERS}
${ENTRIES}
${DIVIDED}
${FIND_CLAIM}
${MARKS}
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
return { step[1], position, 1, claims }`,
} as const satisfies Script;
