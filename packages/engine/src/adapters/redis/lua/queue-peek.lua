-- queue-peek: a page of what the queue of a segment holds, read or not.
-- KEYS   stream divided
-- ARGV   from max
-- REPLY  {last {id fields from through ...} ...}
-- From: an id of the stream. Last: the id to go on behind, or empty. Of each entry all claims, or those from .. through, counted from 1.
-- INCLUDE numbers entries divided
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
return reply
