-- Reports the holder and the waiters of a lock. Writes nothing.
--
-- KEYS  lock, counter, queue, claim, floor, known, as for acquire
-- reply {lease left in ms or -1, highest unit or 0, holders, for each holder: tenure, lease left in ms; and for at most 1000
--       waiters: tenure, arrival}; or {-1, 0, 0, 'mode', '0'} for a read/write lock, which has a script of its own

local it = look_at_all(KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6])
if it.bad then
    return it.bad
elseif it.shared then
    return {-1, 0, 0, 'mode', '0'}
end
local places = redis.call('ZRANGE', KEYS[3], 0, 999, 'WITHSCORES')
for i = 1, #places, 2 do
    places[i] = string.match(places[i], '^[!<]?(.*)$')
end
local last = it.last
if it.size == 0 then
    return {-2, last, 0, unpack(places)}
end
return {it.left, last, 1, it.fields[1], tostring(it.left), unpack(places)}
