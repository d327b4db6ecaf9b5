-- Acquires a lock for a tenure if it is free or the tenure holds it. Otherwise queues the tenure if it wants a position.
--
-- KEYS  1 lock: a hash of one field, the tenure
--       2 counter: the highest token unit given to any name of the slot with the prefix
--       3 queue: a sorted set of the waiting tenures by arrival; fair positions begin with an exclamation mark
--       4 claim: the tenure that the lock was assigned to, until the store hears from it
--       5 floor: the token units of the name are above it, until the clock has passed it
--       6 known: a hash of what is known about the queue
-- ARGV  1 tenure, 2 lease in ms, 3 units wanted, 4 time after which to refuse, 5 how to queue: 0 not, 1 barging, 2 fair,
--       6 arrival of an earlier position or 0, 7 prefix of inboxes; for each fair position behind it: tenure, arrival or 0,
--       lease in ms
-- reply {0, now}                                                   too late
--       {1, now, first unit, units, waiters}                       granted
--       {2, now, lease left in ms or -1, arrival or 0, holder}     refused
--       and, unless it is too late, the arrivals of the positions behind it

local lock, queue, claim, known, tenure = KEYS[1], KEYS[3], KEYS[4], KEYS[6], ARGV[1]

local now = clock()
if now > tonumber(ARGV[4]) then
    return {0, now}
end

local it = look_at_all(unpack(KEYS))
if it.bad then
    return it.bad
end
local held, token, last, waiters = it.size, it.token, it.last, it.waiters

local me = (ARGV[5] == '2' and FAIR or '') .. tenure
local place = waiters > 0 and redis.call('ZSCORE', queue, me)
local barred, more = false, false
if held == 0 and waiters > 0 and fair_before(queue, known, place or ARGV[6], now) then
    last, more = serve(lock, token, queue, claim, known, ARGV[7], false, last, now)
    held = redis.call('EXISTS', lock)
    waiters = redis.call('ZCARD', queue)
    -- the served position may have been woken only, or dropped
    barred = held == 0 and fair_before(queue, known, place or ARGV[6], now)
end

-- Queues the positions behind the tenure as well, and adds their arrivals to the reply. Returns whether one is new.
local function behind(reply)
    local new = false
    for i = 8, #ARGV, 3 do
        local arrival, added = enqueue(queue, known, FAIR .. ARGV[i], ARGV[i + 1], ARGV[i + 2], now)
        reply[#reply + 1] = arrival
        new = new or added
    end
    return new
end

if held == 0 and not barred or redis.call('HEXISTS', lock, tenure) == 1 then
    local first, units = draw(last, now, tonumber(ARGV[3]))
    if held == 0 then
        redis.call('HSET', lock, tenure, '1')
        redis.call('PEXPIRE', lock, ARGV[2])
    else
        redis.call('PEXPIRE', lock, longer(lock, ARGV[2]))
    end
    redis.call('DEL', claim)
    keep(token, first + units - 1)
    if waiters > 0 then
        waiters = waiters - leave(queue, known, me)
    end
    local reply = {1, now, first, units, waiters}
    behind(reply)
    return reply
end

if it.shared then
    return redis.error_reply("HFKIND the name '" .. lock .. "' is held as a read/write lock, and requested as a lock;"
        .. ' use it as one of them only, or rename one')
end
local holder = redis.call('HKEYS', lock)[1] or ''
-- a client that asks again soon continues with the rest of the queue
local reply = {2, now, more and 1 or barred and CLAIM or redis.call('PTTL', lock), tonumber(place) or 0, holder}
local new = false
if ARGV[5] ~= '0' then
    reply[4], new = enqueue(queue, known, me, ARGV[6], ARGV[2], now)
end
new = behind(reply) or new
if (new or lingers(holder)) and client(holder) ~= client(tenure) then
    tell(ARGV[7], holder, 'W ' .. lock)
end
return reply
