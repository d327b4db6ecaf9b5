-- Gives permits back for a tenure, and its place in the queue; serves those who wait. Or takes them away from whoever has them.
--
-- KEYS  as for all semaphores
-- ARGV  1 tenure, 2 prefix of inboxes, 3 name, 4 '1' to tell the holder that they were taken away; then the tenures of fair
--       places to withdraw
-- reply {1 if they were held or 0, waiters, now}

local limit, held, ends, queue, wanted, token, done = unpack(KEYS)
local tenure, inboxes, name = ARGV[1], ARGV[2], ARGV[3]

local bad, total, last = unusable(limit, held, ends, queue, wanted, token, done)
if bad then
    return bad
end
local now = clock()
expire(held, ends, queue, wanted, now)
local had = give_back(held, ends, tenure)
if ARGV[4] == '1' and had == 1 then
    tell(inboxes, tenure, 'R ' .. string.match(tenure, '[^:]*$') .. ' ' .. name)
elseif ARGV[4] ~= '1' then
    leave(queue, wanted, tenure)
    leave(queue, wanted, FAIR .. tenure)
    for i = 5, #ARGV do
        leave(queue, wanted, FAIR .. ARGV[i])
    end
end
serve_permits(held, ends, queue, wanted, token, inboxes, name, total, last, now)
return {had, redis.call('ZCARD', queue), now}
