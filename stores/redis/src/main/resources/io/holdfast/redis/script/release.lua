-- Releases a lock for a tenure, and removes its positions from the queue. If the lock is free then, serves the queue.
--
-- KEYS  lock, counter, queue, claim, floor, known, as for acquire; and the wait queue of Redisson's fair lock if its clients
--       are to be notified
-- ARGV  1 tenure, 2 '1' to assign the lock to the first position instead of waking it,
--       3 prefix of inboxes; then the tenures of fair positions to withdraw
-- reply {1 if it was held or 0, waiters, now, 1 if the same script is to be run again for the rest of the queue or 0}

local lock, queue, claim, known, tenure = KEYS[1], KEYS[3], KEYS[4], KEYS[6], ARGV[1]

local it = look_at_all(lock, KEYS[2], queue, claim, KEYS[5], known)
if it.bad then
    -- one counter serves all names: a broken one must not keep a hold. Then nobody is assigned the lock, which needs a unit
    it = look_at_all(lock, nil, queue, claim, nil, known)
end
if it.bad then
    return it.bad
end
local waiters = it.waiters
local now = clock()

local held = redis.call('HDEL', lock, tenure)
if held == 1 then
    redis.call('DEL', claim)
end

if waiters > 0 then
    leave(queue, known, tenure, FAIR .. tenure)
    for i = 4, #ARGV do
        leave(queue, known, FAIR .. ARGV[i])
    end
end
-- everybody who hears that the lock is free asks for it; an assigned lock would keep Redisson's waiters out
local heard = held == 1 and tell_redisson() or 0
local more = false
if waiters > 0 then
    if it.token and heard == 0 and redis.call('EXISTS', lock) == 0 then
        it.last, more = serve(lock, it.token, queue, claim, known, ARGV[3], ARGV[2] == '1', it.last, now)
    end
    waiters = math.max(heard, redis.call('ZCARD', queue))
else
    waiters = heard
end
return {held, waiters, now, more and 1 or 0}
