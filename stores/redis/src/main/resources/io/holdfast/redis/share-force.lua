-- Frees a read/write lock whoever holds it, tells the holders, and serves those that wait.
--
-- KEYS  lock, token, queue, leases, as for all read/write locks, and with what all timers begin
-- ARGV  1 prefix of inboxes, 2 the channel of Redisson's clients, or ''
-- reply as for inspect, of what was held, without waiters

local lock, token, queue, leases = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
timers = KEYS[5]

local bad, waiters, last = unusable(lock, token, queue, leases)
if bad then
    return bad
end
local now = clock()
settle(lock, leases, now)
local holders = owners(lock)
local reply = {redis.call('PTTL', lock), tonumber(last) or 0, #holders}
redis.call('DEL', lock)
for _, holder in ipairs(holders) do
    redis.call('DEL', timer_of(lock, holder))
    reply[#reply + 1] = holder
    reply[#reply + 1] = tostring(left_of(leases, holder, reply[1], now))
end
redis.call('DEL', leases)
for _, holder in ipairs(holders) do
    local tenure = tenure_of(holder)
    tell(ARGV[1], tenure, 'R ' .. string.match(tenure, '[^:]*$') .. ' ' .. lock)
end
if redisson_waits(ARGV[2]) > 0 then
    tell_redisson(ARGV[2])
elseif waiters > 0 then
    -- fails here, and not behind a message, if the slot of a cluster moves just now
    redis.call('EXISTS', lock)
    serve_shared(lock, token, queue, leases, ARGV[1], nil, last, now)
end
return reply
