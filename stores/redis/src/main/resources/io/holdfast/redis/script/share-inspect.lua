-- Reports the holders and the waiters of a read/write lock.
--
-- KEYS  lock, counter, queue, leases, floor, as for all read/write locks; the prefix of all timers; known
-- reply {lease left in ms or -1, highest unit or 0, holders, for each holder: its field, lease left in ms; and for at most
--       1000 waiters: tenure, arrival}

local lock, counter, queue, leases, floor = unpack(KEYS)

local bad, _, _, last = unusable(lock, counter, queue, leases, floor, nil, KEYS[7])
if bad then
    return bad
end
local now = clock()
local left = redis.call('PTTL', lock)
local reply = {left, tonumber(last) or 0, 0}
for _, holder in ipairs(owners(lock)) do
    local lease = left_of(leases, holder, left, now)
    if lease ~= 0 then
        reply[3] = reply[3] + 1
        reply[#reply + 1] = holder
        reply[#reply + 1] = tostring(lease)
    end
end
local places = redis.call('ZRANGE', queue, 0, 999, 'WITHSCORES')
for i = 1, #places, 2 do
    reply[#reply + 1] = string.match(places[i], '^<?(.*)$')
    reply[#reply + 1] = places[i + 1]
end
return reply
