-- The largest number of units that stays exact. Lua prints 1e14 as 1e+14, so numbers are written through `digits`.
local MAX_UNITS = 9007199254740991

local function digits(number)
  return string.format('%.0f', number)
end

local function is_units(number)
  return number and number >= 0 and number % 1 == 0 and number <= MAX_UNITS
end
