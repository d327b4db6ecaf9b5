-- Acquires a read/write lock for a tenure if nobody excludes it or the tenure holds it. Otherwise queues the tenure if it wants
-- a position.
--
-- KEYS  lock, counter, queue, leases, floor, timer, as for all read/write locks; the prefix of all timers; known
-- ARGV  1 tenure, 2 lease in ms, 3 units wanted, 4 time after which to refuse, 5 '1' to queue, 6 arrival of an earlier position
--       or 0, 7 prefix of inboxes, 8 'read' or 'write', 9 the tenure by which the owner of a reader writes, or '',
--       10 the channel of Redisson's clients, or ''
-- reply as for acquire

-- The time in microseconds for which a reader gives way to a writer of Redisson.
local GIVE_WAY = 200000

local lock, counter, queue, leases, floor, timer = unpack(KEYS)
local known = KEYS[8]
timers = KEYS[7]
local tenure, lease, wanted, beside = ARGV[1], tonumber(ARGV[2]), ARGV[8], ARGV[9]

local now = clock()
if now > tonumber(ARGV[4]) then
    return {0, now}
end
local bad, waiters, token, last = unusable(lock, counter, queue, leases, floor, timer, known)
if bad then
    return bad
end

local mode = settle(lock, leases, now)
local owner = field(tenure, wanted)

local me = place_of(tenure, wanted)
local place = waiters > 0 and redis.call('ZSCORE', queue, me)

-- Returns whether somebody who wants to write precedes that arrival; 0 stands for the end of the queue. A writer whose client
-- does not listen is dropped, because no other script does so while others read. A writer is behind the first positions only if
-- it was noted when it asked.
local function writer_before(arrival)
    arrival = tonumber(arrival)
    local noted = tonumber(redis.call('HGET', known, WRITER)) or 0
    local hidden = now - noted <= PLACE_LIFE * 1000
    local places = redis.call('ZRANGE', queue, 0, MOST_SEEN - 1, 'WITHSCORES')
    for i = 1, #places, 2 do
        if arrival > 0 and tonumber(places[i + 1]) >= arrival then
            return false
        elseif parse(places[i]) == 'write' then
            if listeners(ARGV[7], places[i])[2] ~= 0 then
                return true
            end
            leave(queue, known, places[i])
            hidden = true
        end
    end
    return hidden and #places == 2 * MOST_SEEN
end

-- Returns whether a client of Redisson precedes that arrival. A client that waits while others read wants to write. Redisson's
-- readers pass its writers, and could starve ours. So ours give way for a limited time only.
local function redisson_before(arrival)
    arrival = tonumber(arrival)
    return redisson_waits(ARGV[10]) > 0 and (arrival == 0 or now - arrival < GIVE_WAY)
end

local function may_have()
    if redis.call('HEXISTS', lock, owner) == 1 or not mode
        or beside ~= '' and redis.call('HEXISTS', lock, field(beside, 'write')) == 1 then
        return true
    end
    return wanted == 'read' and mode == 'read'
        and not (waiters > 0 and writer_before(place or ARGV[6])) and not redisson_before(place or ARGV[6])
end

if may_have() then
    local first, units = draw(last, now, tonumber(ARGV[3]))
    local becomes = wanted == 'write' and 'write' or not mode and 'read'
    enter(lock, leases, owner, becomes, timer, lease, now)
    keep(token, first + units - 1)
    if waiters > 0 then
        waiters = waiters - leave(queue, known, me)
    end
    return {1, now, first, units, waiters}
end

local holders = owners(lock)
local reply = {2, now, redis.call('PTTL', lock), tonumber(place) or 0, tenure_of(holders[1])}
if ARGV[5] == '1' then
    if wanted == 'write' and waiters >= MOST_SEEN then
        note(known, WRITER, string.format('%.0f', now))
    end
    local arrival, new = enqueue(queue, known, me, ARGV[6], lease, now)
    reply[4] = arrival
    local told = {}
    for _, holder in ipairs(new and holders or {}) do
        local id = client(tenure_of(holder))
        if not told[id] then
            told[id] = true
            tell(ARGV[7], tenure_of(holder), 'W ' .. lock)
        end
    end
end
return reply
