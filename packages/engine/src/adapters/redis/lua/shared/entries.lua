-- An entry of the stream is what one call has won. Of one claim: `o` its order id, `b` its buyer, then a field that is called
-- `units channel` and holds when it was claimed; `p`, where there is one, is the position of a claim that was queued again: ids
-- of a stream only rise (P14). Of several: `orders` and `buyers`, lists in JSON, `at`, when they were claimed, then for each run
-- of claims that want the same a field that is called `units channel` and holds its length. The entry's id is the position of
-- the last of them; the others have the positions right before it. Names are kept once for entries beside each other.
local MAX_CLAIMS = 256

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
  -- One that was damaged counts as one claim, of which nothing is told.
  if size >= 1 and size <= MAX_CLAIMS then opened.size = size else opened.part = {} end
  return opened
end

local function list_of(json)
  local is_read, list = pcall(cjson.decode, json or '')
  return is_read and type(list) == 'table' and list or {}
end

-- Which claim of an entry it is, from 1; nothing when it is none of them.
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
  -- Ids mostly have one length, and the list need not be read.
  local width = #order_id + 3
  if string.sub(part.orders, 2 + (index - 1) * width, index * width) == '"' .. order_id .. '"' then return index end
  opened.order_ids = opened.order_ids or list_of(part.orders)
  return opened.order_ids[index] == order_id and index or nil
end

-- All claims of an entry: `order_id units position channel buyer`.
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

-- How many entries to look at next for so many claims, as large as the last ones were: at first as few as can hold them.
local function step_for(max, entries, claims)
  return math.min(64, math.ceil(max * (entries or 1) / (claims or MAX_CLAIMS)))
end

-- Visits entries in order until as many claims have been seen as asked for. Returns the id to go on behind; empty: there are no more.
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
end
