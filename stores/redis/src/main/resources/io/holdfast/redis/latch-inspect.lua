-- What a latch is, and whether a client wants to be told what becomes of it.
--
-- KEYS  latch, listeners, done, opened, as for latch-change
-- ARGV  1 client, 2 '1' to be told, '0' not to be told any more
-- reply {now, count, the id of the change that set it or '', and those of the settings that opened in the last minute}

local latch, listeners, opened = KEYS[1], KEYS[2], KEYS[4]

local state = redis.pcall('GET', latch)
local bad = type(state) == 'table' and wrong(latch, state) or wrong(listeners, redis.pcall('ZCARD', listeners))
    or wrong(opened, redis.pcall('ZCARD', opened))
if bad then
    return bad
end
local now = clock()
local left, set = string.match(state or '0 ', '^(%d+) (%S*)$')
if ARGV[2] == '1' and left ~= '0' then
    redis.call('ZREMRANGEBYSCORE', listeners, '-inf', string.format('%.0f', now - 60000000))
    redis.call('ZADD', listeners, string.format('%.0f', now), ARGV[1])
    redis.call('PEXPIRE', listeners, '60000')
else
    redis.call('ZREM', listeners, ARGV[1])
end
local minute = string.format('%.0f', now - 60000000)
return {now, tonumber(left), set, unpack(redis.call('ZRANGEBYSCORE', opened, minute, '+inf'))}
