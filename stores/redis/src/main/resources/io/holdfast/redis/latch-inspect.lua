-- What a latch is, and whether a client wants to be told what becomes of it.
--
-- KEYS  latch, listeners, done, opened, as for latch-change
-- ARGV  1 client, 2 '1' to be told, '0' not to be told any more
-- reply {now, count, the id of the change that set it or '', and those of the settings that opened in the last minute}

local latch, listeners, done, opened = unpack(KEYS)

local state = redis.pcall('GET', latch)
local bad = wrong(latch, state, is_latch) or wrong(listeners, redis.pcall('ZCARD', listeners))
    or wrong(done, redis.pcall('ZRANGE', done, 0, 0), is_tenure)
    or wrong(opened, redis.pcall('ZRANGE', opened, 0, 0), is_tenure)
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
