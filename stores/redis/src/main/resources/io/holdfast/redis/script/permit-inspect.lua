-- Reports the number of permits and the holders. Writes nothing.
--
-- KEYS  as for all semaphores
-- ARGV  1 how many holders to leave out, 2 how many to report
-- reply {now, permits in all or -1, waiters, and for each holder: tenure, permits, lease left in ms}. With 0 permits, a holder
--       has an end only, which a release of one of its keys has left behind

local limit, held, ends, queue, wanted, token, done, known = unpack(KEYS)

local bad, total = unusable(limit, held, ends, queue, wanted, token, done, known)
if bad then
    return bad
end
local now = clock()
local reply = {now, total or -1, redis.call('ZCARD', queue)}
local leases = redis.call('ZRANGEBYSCORE', ends, '(' .. string.format('%.0f', now), '+inf', 'WITHSCORES',
    'LIMIT', ARGV[1], ARGV[2])
for i = 1, #leases, 2 do
    reply[#reply + 1] = leases[i]
    reply[#reply + 1] = math.abs(tonumber(is_held(held, leases[i]) or 0))
    reply[#reply + 1] = math.ceil((tonumber(leases[i + 1]) - now) / 1000)
end
return reply
