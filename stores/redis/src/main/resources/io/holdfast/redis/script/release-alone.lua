-- Gives a lock up that nobody waits for, by the shortest way. Goes on with the whole if that is not all there is to do.
-- KEYS, ARGV, reply: as for release.

if not KEYS[7] and redis.call('EXISTS', KEYS[3], KEYS[4], KEYS[5], KEYS[6]) == 0 then
    local fields = redis.pcall('HLEN', KEYS[1])
    if fields == 0 or fields == 1 and redis.call('HDEL', KEYS[1], ARGV[1]) == 1 then
        local time = redis.call('TIME')
        return {fields, 0, time[1] * 1000000 + time[2]}
    end
end
