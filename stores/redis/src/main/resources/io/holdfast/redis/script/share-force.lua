-- Frees a read/write lock regardless of its holders, notifies the holders, and serves the queue.
--
-- KEYS  lock, counter, queue, leases, floor, as for all read/write locks; the prefix of all timers; known
-- ARGV  1 prefix of inboxes, 2 the channel of Redisson's clients, or ''
-- reply as for inspect, about the former holders, without waiters

local lock, counter, queue, leases, floor = unpack(KEYS)
local known = KEYS[7]
timers = KEYS[6]

local bad, waiters, token, last = unusable(lock, counter, queue, leases, floor, nil, known)
if bad then
    return bad
end
local now = clock()
settle(lock, leases, now)
local holders = owners(lock)
local reply = {redis.call('PTTL', lock), tonumber(last) or 0, #holders}
redis.call('DEL', lock)
for _, holder in ipairs(holders) do
    local timer = timer_of(lock, holder)
    if redis.pcall('GET', timer) == '1' then
        redis.call('DEL', timer)
    end
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
    -- while the slot migrates, access to the deleted key fails: let it fail here, and not after an assignment was sent
    redis.call('EXISTS', lock)
    serve_shared(lock, token, queue, leases, known, ARGV[1], nil, last, now)
end
return reply
