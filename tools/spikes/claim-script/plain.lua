-- plain: the script everybody writes first, one purchase a call; what claim.lua is measured against.
-- KEYS   stock buyers orders
-- ARGV   buyer order_id
-- REPLY  1 won | 0 sold_out | -1 bought before | -2 replayed
if redis.call('SISMEMBER', KEYS[3], ARGV[2]) == 1 then return -2 end
if redis.call('SISMEMBER', KEYS[2], ARGV[1]) == 1 then return -1 end
if tonumber(redis.call('GET', KEYS[1]) or '0') < 1 then return 0 end
redis.call('DECR', KEYS[1])
redis.call('SADD', KEYS[2], ARGV[1])
redis.call('SADD', KEYS[3], ARGV[2])
return 1
