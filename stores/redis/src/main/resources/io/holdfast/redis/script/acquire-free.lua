-- Acquires a lock that is free, has no waiters, no claim and no floor, by the shortest way. In every other case the script
-- continues with the full one behind it. KEYS, ARGV, reply: as for acquire.

if #ARGV == 7 and redis.call('EXISTS', KEYS[1], KEYS[3], KEYS[4], KEYS[5]) == 0 then
    local last = redis.pcall('GET', KEYS[2])
    local before = not last and 0 or type(last) == 'string' and string.find(last, '^%d+$') and tonumber(last)
    local time = redis.call('TIME')
    local now = time[1] * 1000000 + time[2]
    if before and before < 9007199254740992 and now <= tonumber(ARGV[4]) then
        -- as in draw
        local first = math.max(before + 1, now)
        local units = math.max(1, math.min(ARGV[3], now + 10000 - first))
        redis.call('HSET', KEYS[1], ARGV[1], '1')
        redis.call('PEXPIRE', KEYS[1], ARGV[2])
        redis.call('SET', KEYS[2], string.format('%.0f', first + units - 1))
        return {1, now, first, units, 0}
    end
end
