-- Reports a latch, and notes whether a client listens to it.
--
-- KEYS  as for all latches
-- ARGV  1 client, 2 '1' to listen, '0' to stop listening
-- reply {now, the number of the setting in force or 0, count, the highest number, the number up to which settings are
--       forgotten, and the numbers above it of settings that ended before they opened}

local latch, listeners, done = unpack(KEYS)

local now = clock()
local bad, it = look_at_latch(latch, listeners, done, now)
if bad then
    return bad
end
if ARGV[2] == '1' and not it.over then
    drop_upto(listeners, now - 60000000)
    redis.call('ZADD', listeners, string.format('%.0f', math.max(now, it.number + 1)), ARGV[1])
    redis.call('PEXPIRE', listeners, '60000')
else
    redis.call('ZREM', listeners, ARGV[1])
end
if it.set then
    return {now, it.number, it.count, it.number, it.forgotten, unpack(it.unopened)}
end
if it.count > 0 then
    table.insert(it.unopened, it.number)
end
return {now, 0, 0, it.number, it.forgotten, unpack(it.unopened)}
