-- Frees a lock whoever holds it, tells the holder, and wakes the first waiter.
--
-- KEYS  lock, token, queue, claim, as for acquire, and the line of Redisson's fair lock if its clients are to be told
-- ARGV  1 prefix of inboxes
-- reply as for inspect, of what was held, without waiters

local lock, token, queue, claim = KEYS[1], KEYS[2], KEYS[3], KEYS[4]

local fields = redis.pcall('HKEYS', lock)
local last = redis.pcall('GET', token)
local waiters = redis.pcall('ZCARD', queue)
local bad = wrong(lock, fields) or wrong(token, last) or wrong(queue, waiters)
if bad then
    return bad
end
local mode = #fields > 0 and redis.call('HGET', lock, 'mode')
if mode == 'read' or mode == 'write' then
    return {-1, 0, 0, 'mode', '0'}
end
local left = redis.call('PTTL', lock)
local now = clock()

redis.call('DEL', lock, claim)

local holder = owner(fields)
if holder ~= '' then
    tell(ARGV[1], holder, 'R ' .. string.match(holder, '[^:]*$') .. ' ' .. lock)
end
local heard = #fields > 0 and tell_redisson() or 0
if heard == 0 and waiters > 0 then
    -- fails here, and not behind a message, if the slot of a cluster moves just now
    redis.call('EXISTS', lock)
    serve(lock, token, queue, claim, ARGV[1], false, last, now)
end
if holder == '' then
    return {left, tonumber(last) or 0, 0}
end
return {left, tonumber(last) or 0, 1, holder, tostring(left)}
