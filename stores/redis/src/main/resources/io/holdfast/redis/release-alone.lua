-- Gives a lock up that nobody waits for, of a tenure that has no units to give back, by the shortest way. Goes
-- on with the whole if that is not all there is to do. KEYS, ARGV, reply: as for release.

if ARGV[3] == '0' and not KEYS[5] and redis.call('EXISTS', KEYS[3], KEYS[4]) == 0 then
    local last = redis.pcall('GET', KEYS[2])
    local held = (not last or tonumber(last)) and redis.pcall('HDEL', KEYS[1], ARGV[1])
    if type(held) == 'number' then
        local time = redis.call('TIME')
        return {held, 0, time[1] * 1000000 + time[2]}
    end
end
