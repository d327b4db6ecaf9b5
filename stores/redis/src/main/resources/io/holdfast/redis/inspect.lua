-- Who holds a lock and who waits for it; writes nothing.
--
-- KEYS  lock, token, queue, claim, as for acquire
-- ARGV  1 'lock' to see no holder in a hash whose fields are no owners of locks, or ''
-- reply {lease left in ms or -1, highest unit or 0, holders, for each holder: tenure, lease left in ms; and for at most 1000
--       waiters: tenure, arrival}; or {-1, 0, 0, 'mode', '0'} for a read/write lock, which has a script of its own

local lock, token, queue = KEYS[1], KEYS[2], KEYS[3]

local fields = redis.pcall('HKEYS', lock)
local last = redis.pcall('GET', token)
local places = redis.pcall('ZRANGE', queue, 0, 999, 'WITHSCORES')
local bad = wrong(lock, fields) or wrong(token, last) or wrong(queue, places)
if bad then
    return bad
end
local mode = #fields > 0 and redis.call('HGET', lock, 'mode')
if mode == 'read' or mode == 'write' then
    return {-1, 0, 0, 'mode', '0'}
end
local holder = owner(fields)
if ARGV[1] == 'lock' and not string.find(holder, ':', 1, true) then
    holder = ''
end
for i = 1, #places, 2 do
    places[i] = string.match(places[i], '^[!<]?(.*)$')
end
local left = redis.call('PTTL', lock)
if holder == '' then
    return {left, tonumber(last) or 0, 0, unpack(places)}
end
return {left, tonumber(last) or 0, 1, holder, tostring(left), unpack(places)}
