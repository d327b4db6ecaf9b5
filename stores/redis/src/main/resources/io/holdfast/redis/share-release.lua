-- Gives a read/write lock up for a tenure, and its place in the queue; serves those that may have it then.
--
-- KEYS  lock, token, queue, leases, timer, as for all read/write locks, and with what all timers begin
-- ARGV  1 tenure, 2 the last unit of which a token was used, or 0; 3 prefix of inboxes, 4 'read', 'upgrade' or 'write',
--       5 the channel of Redisson's clients, or ''
-- reply {1 if it was held or 0, waiters, now}

local lock, token, queue, leases, timer = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
timers = KEYS[6]
local owner = field(ARGV[1], ARGV[4])

local bad, waiters, last = unusable(lock, token, queue, leases)
if bad and not string.find(bad.err, 'HFKIND', 1, true) then
    return bad
end
local now = clock()
local held = 0
local before, mode
if not bad then
    before = settle(lock, leases, now)
    held = redis.call('HDEL', lock, owner)
    redis.call('ZREM', leases, owner)
    mode = end_with_last(lock, leases, settle(lock, leases, now), now)
end
if ARGV[4] ~= 'write' then
    redis.call('DEL', timer)
end

-- Units that were not used are given back if they are ahead of the clock; behind it they are of no use to anybody.
local used = tonumber(ARGV[2])
if held == 1 and used > 0 and last and tonumber(last) > math.max(used, now) then
    keep(token, used)
    last = used
end

-- It is free, or who wrote reads on.
local opened = held == 1 and mode ~= before
local redisson = redisson_waits(ARGV[5])
if not bad and waiters > 0 then
    redis.call('ZREM', queue, place_of(ARGV[1], ARGV[4]))
    -- An assigned lock would keep Redisson's waiters out, but for those who read beside one who reads on.
    if redisson == 0 or opened and mode then
        serve_shared(lock, token, queue, leases, ARGV[3], mode, last, now)
    else
        wake_front(lock, queue, ARGV[3])
    end
    waiters = redis.call('ZCARD', queue)
elseif waiters and waiters > 0 then
    waiters = waiters - redis.call('ZREM', queue, place_of(ARGV[1], ARGV[4]))
end
if opened and redisson > 0 then
    tell_redisson(ARGV[5])
end
return {held, waiters + redisson, now}
