-- Gives a lock up for a tenure, and its place in the queue; serves the queue of a lock that is free then.
--
-- KEYS  lock, token, queue, claim, as for acquire, and the line of Redisson's fair lock if its clients are to be told
-- ARGV  1 tenure, 2 '1' to assign the lock to the first place instead of waking it,
--       3 the last unit of which a token was used, or 0; 4 prefix of inboxes; then the tenures of fair places to withdraw
-- reply {1 if it was held or 0, waiters, now}

local lock, token, queue, claim, tenure = KEYS[1], KEYS[2], KEYS[3], KEYS[4], ARGV[1]

local last = redis.pcall('GET', token)
local waiters = redis.pcall('ZCARD', queue)
local bad = wrong(token, last) or wrong(queue, waiters)
if bad then
    return bad
end
local now = clock()

local held = redis.pcall('HDEL', lock, tenure)
bad = wrong(lock, held)
if bad then
    return bad
end

if held == 1 then
    redis.call('DEL', claim)
end

-- Units that were not used are given back if they are ahead of the clock; behind it they are of no use to anybody.
local used = tonumber(ARGV[3])
if held == 1 and used > 0 and last and tonumber(last) > math.max(used, now) then
    keep(token, used)
    last = used
end

if waiters > 0 then
    redis.call('ZREM', queue, tenure, FAIR .. tenure)
    for i = 5, #ARGV do
        redis.call('ZREM', queue, FAIR .. ARGV[i])
    end
end
-- Who hears that it is free asks for it; an assigned lock would keep Redisson's waiters out.
local heard = held == 1 and tell_redisson() or 0
if waiters > 0 then
    if heard == 0 and redis.call('EXISTS', lock) == 0 then
        serve(lock, token, queue, claim, ARGV[4], ARGV[2] == '1', last, now)
    end
    waiters = math.max(heard, redis.call('ZCARD', queue))
else
    waiters = heard
end
return {held, waiters, now}
