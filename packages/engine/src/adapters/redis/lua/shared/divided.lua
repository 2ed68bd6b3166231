-- Entries of which some claims were removed, or lent to a reader, without the others: `divided` holds by the entry's id what each
-- of its claims is, as runs of `state length`. A state is when it was lent, in ms, or one of these two.
local FREE, REMOVED = 0, -1

local function is_hash(key)
  return redis.call('TYPE', key).ok == 'hash'
end

-- Of each claim of an entry; nothing while the entry is whole.
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

-- Adds a claim to the ranges of an entry's claims that a reply names; they stand behind its id and its fields.
local function show(shown, index)
  if #shown > 2 and shown[#shown] == index - 1 then shown[#shown] = index
  else shown[#shown + 1], shown[#shown + 2] = index, index end
end
