-- Releases a read/write lock for a tenure, removes its position from the queue, and serves the queue.
--
-- KEYS  lock, counter, queue, leases, floor, timer, as for all read/write locks; the prefix of all timers; known
-- ARGV  1 tenure, 2 prefix of inboxes, 3 'read' or 'write', 4 the channel of Redisson's clients, or ''
-- reply {1 if it was held or 0, waiters, now, 1 if the same script is to be run again for the rest of the queue or 0}

local lock, counter, queue, leases, floor, timer = unpack(KEYS)
local known = KEYS[8]
timers = KEYS[7]
local owner = field(ARGV[1], ARGV[3])

local function is_foreign(bad)
    return bad and not string.find(bad.err, 'HFKIND', 1, true)
end

local bad, waiters, token, last = unusable(lock, counter, queue, leases, floor, timer, known)
if is_foreign(bad) then
    -- one counter serves all names: a broken one must not keep a hold. Then nobody is assigned the lock, which needs a unit
    bad, waiters, token = unusable(lock, nil, queue, leases, floor, timer, known)
end
if is_foreign(bad) then
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
if ARGV[3] ~= 'write' then
    redis.call('DEL', timer)
end

-- the lock is free, or its writer continues to read
local opened = held == 1 and mode ~= before
local redisson = redisson_waits(ARGV[4])
local more = false
if not bad and waiters > 0 then
    leave(queue, known, place_of(ARGV[1], ARGV[3]))
    -- An assigned lock would keep Redisson's waiters out. If a writer continues to read, readers may be assigned the lock
    -- beside it.
    if token and (redisson == 0 or opened and mode) then
        -- beside Redisson, another run would serve nobody, because it opens nothing
        more = serve_shared(lock, token, queue, leases, known, ARGV[2], mode, last, now) and redisson == 0
    end
    waiters = redis.call('ZCARD', queue)
elseif waiters and waiters > 0 then
    waiters = waiters - leave(queue, known, place_of(ARGV[1], ARGV[3]))
end
if opened and redisson > 0 then
    tell_redisson(ARGV[4])
end
return {held, waiters + redisson, now, more and 1 or 0}
