-- Releases the permits of a tenure, removes its positions from the queue, and serves the queue. Or revokes the permits of any
-- tenure.
--
-- KEYS  as for all semaphores
-- ARGV  1 tenure, 2 prefix of inboxes, 3 name, 4 '1' to revoke, which notifies the holder; then the tenures of fair
--       positions to withdraw
-- reply {1 if they were held or 0, waiters, now, 1 if the same script is to be run again for the rest of the queue or 0}

local limit, held, ends, queue, wanted, token, done, known = unpack(KEYS)
local tenure, inboxes, name = ARGV[1], ARGV[2], ARGV[3]

local bad, total, last = unusable(limit, held, ends, queue, wanted, token, done, known)
if bad then
    -- one counter serves all names: a broken one must not keep permits. Then nobody is assigned any, which needs a unit
    token = nil
    bad, total = unusable(limit, held, ends, queue, wanted, token, done, known)
end
if bad then
    return bad
end
local now = clock()
local more = expire(held, ends, known, now, tenure)
local had = give_back(held, ends, tenure)
if ARGV[4] == '1' and had == 1 then
    tell(inboxes, tenure, 'R ' .. string.match(tenure, '[^:]*$') .. ' ' .. name)
elseif ARGV[4] ~= '1' then
    go(queue, wanted, known, tenure)
    go(queue, wanted, known, FAIR .. tenure)
    for i = 5, #ARGV do
        go(queue, wanted, known, FAIR .. ARGV[i])
    end
end
local _, unserved
if token then
    _, unserved = serve_permits(held, ends, queue, wanted, token, known, inboxes, name, total, last, now)
end
return {had, redis.call('ZCARD', queue), now, (more or unserved) and 1 or 0}
