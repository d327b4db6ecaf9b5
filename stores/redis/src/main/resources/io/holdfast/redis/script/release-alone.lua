-- Releases a lock that has no waiters, no claim and no floor, by the shortest way. In every other case the script continues
-- with the full one behind it. KEYS and ARGV: as for release. Reply: the first three elements of release.

if not KEYS[7] and redis.call('EXISTS', KEYS[3], KEYS[4], KEYS[5], KEYS[6]) == 0 then
    local fields = redis.pcall('HLEN', KEYS[1])
    if fields == 0 or fields == 1 and redis.call('HDEL', KEYS[1], ARGV[1]) == 1 then
        local time = redis.call('TIME')
        return {fields, 0, time[1] * 1000000 + time[2]}
    end
end
