-- Frees a lock regardless of its holder, notifies the holder, and serves the queue.
--
-- KEYS  lock, counter, queue, claim, floor, known, as for acquire; and the wait queue of Redisson's fair lock if its clients
--       are to be notified
-- ARGV  1 prefix of inboxes
-- reply as for inspect, about the former holder, without waiters

local lock, queue, claim, known = KEYS[1], KEYS[3], KEYS[4], KEYS[6]

local it = look_at_all(lock, KEYS[2], queue, claim, KEYS[5], known)
if it.bad then
    return it.bad
elseif it.shared then
    return {-1, 0, 0, 'mode', '0'}
end
local left, last, waiters = it.left or -2, it.last, it.waiters
local now = clock()

redis.call('DEL', lock, claim)

local holder = it.size > 0 and it.fields[1] or ''
if holder ~= '' then
    tell(ARGV[1], holder, 'R ' .. string.match(holder, '[^:]*$') .. ' ' .. lock)
end
local heard = holder ~= '' and tell_redisson() or 0
if heard == 0 and waiters > 0 then
    -- while the slot migrates, access to the deleted key fails: let it fail here, and not after an assignment was sent
    redis.call('EXISTS', lock)
    serve(lock, it.token, queue, claim, known, ARGV[1], false, last, now)
end
if holder == '' then
    return {left, tonumber(last) or 0, 0}
end
return {left, tonumber(last) or 0, 1, holder, tostring(left)}
