-- Takes a lock for a tenure if it is free or the tenure has it, else queues the tenure.
--
-- KEYS  1 lock: a hash of one field, the tenure
--       2 token: the highest unit of tokens given
--       3 queue: a sorted set of the waiting tenures, by arrival
-- ARGV  1 tenure, 2 lease in ms, 3 units wanted, 4 time after which to refuse, 5 '1' to queue,
--       6 arrival of a place it had before or 0, 7 prefix of inboxes
-- reply {0, now}                                                   too late
--       {1, now, first unit, units, waiters}                       granted
--       {2, now, lease left in ms or -1, arrival or 0, holder}   refused

local lock, token, queue, tenure = KEYS[1], KEYS[2], KEYS[3], ARGV[1]

local now = clock()
if now > tonumber(ARGV[4]) then
    return {0, now}
end

local held = redis.pcall('HLEN', lock)
local last = redis.pcall('GET', token)
local waiters = redis.pcall('ZCARD', queue)
local bad = wrong(lock, held) or wrong(token, last) or wrong(queue, waiters)
if bad then
    return bad
end

if held == 0 or redis.call('HEXISTS', lock, tenure) == 1 then
    local first, units = draw(last, now, tonumber(ARGV[3]))
    if held == 0 then
        redis.call('HSET', lock, tenure, '1')
        redis.call('PEXPIRE', lock, ARGV[2])
    else
        redis.call('PEXPIRE', lock, longer(lock, ARGV[2]))
    end
    keep(token, first + units - 1)
    if waiters > 0 then
        waiters = waiters - redis.call('ZREM', queue, tenure)
    end
    return {1, now, first, units, waiters}
end

local left = redis.call('PTTL', lock)
local holder = owner(redis.call('HKEYS', lock))
local place = waiters > 0 and redis.call('ZSCORE', queue, tenure)
local arrival = tonumber(place) or 0
if ARGV[5] == '1' then
    if not place then
        arrival = tonumber(ARGV[6]) > 0 and tonumber(ARGV[6]) or now
        redis.call('ZADD', queue, string.format('%.0f', arrival), tenure)
    end
    redis.call('PEXPIRE', queue, '60000')
    if not place then
        tell(ARGV[7], holder, 'W ' .. lock)
    end
end
return {2, now, left, arrival, holder}
