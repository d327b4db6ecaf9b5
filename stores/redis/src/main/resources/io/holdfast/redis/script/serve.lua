-- The wait queue of a lock, and how it is served when the lock is free. This part precedes the scripts that free a lock.
--
-- 'known' is a hash about the queue. It has the leases of positions, in ms, if they are shorter than the claim window. The
-- field '!' is the time when a fair position was last requested. A field '-CLIENT' is a client that let a claim lapse and was
-- not heard of since. Read/write locks add one field, see share.
--
-- Invariants:
-- 1. No script does more for a longer queue. It looks at the first positions, and leaves the rest to the next script.
-- 2. A position whose client does not listen never stops those behind it.
-- 3. If a client lets a claim lapse, all its fair positions are dropped when they come up, until it asks again. So a stopped
--    process delays the others by one claim window, and not by one for each of its waiters.

-- CLAIM is the claim window in ms: the time for which an assigned tenure keeps the lock unless it is renewed. A shorter lease
-- limits it. CLAIM_LIFE is the time in ms for which a claim is remembered, in which it may turn out to have lapsed. CLAIM_UNITS
-- is the number of token units that an assigned tenure gets.
local CLAIM, CLAIM_LIFE, CLAIM_UNITS = 1000, 10000, 32

-- The number of positions that a script searches for a fair one, and the number that it serves or drops.
local MOST_SEEN, MOST_SERVED = 64, 100

-- The number of positions of one client that one assignment may cover.
local MOST_NEXT = 64

-- The mark of a fair position in the queue, and of an absent client in 'known'.
local FAIR, ABSENT = '!', '-'

-- The time in ms for which positions are kept without a request.
local PLACE_LIFE = 60000

local function is_fair(place)
    return string.sub(place, 1, 1) == FAIR
end

-- Notes something about the queue, for as long as its positions are kept.
local function note(known, what, value)
    redis.call('HSET', known, what, value)
    redis.call('PEXPIRE', known, PLACE_LIFE)
end

local fair_noted = false

-- Adds or refreshes a position with its lease in ms. A position that was lost returns to its earlier arrival; a new one goes to
-- the end. Returns the arrival, and whether the position was added.
local function enqueue(queue, known, place, before, lease, now)
    local arrival = tonumber(redis.call('ZSCORE', queue, place))
    local new = not arrival
    if new then
        arrival = tonumber(before)
        if arrival == 0 then
            local newest = redis.call('ZRANGE', queue, -1, -1, 'WITHSCORES')
            arrival = math.max(now, (tonumber(newest[2]) or 0) + 1)
        end
        redis.call('ZADD', queue, string.format('%.0f', arrival), place)
    end
    redis.call('PEXPIRE', queue, PLACE_LIFE)
    redis.call('HDEL', known, place, ABSENT .. client(place))
    if tonumber(lease) < CLAIM then
        note(known, place, lease)
    end
    if is_fair(place) and not fair_noted then
        note(known, FAIR, string.format('%.0f', now))
        fair_noted = true
    end
    return arrival, new
end

-- Returns the time in ms for which an assigned position keeps the lock unless it is renewed. It is never longer than the lease
-- of the position, because a renewal could not shorten it.
local function claim_of(known, place)
    return tonumber(redis.call('HGET', known, place)) or CLAIM
end

-- Forgets what is known about positions that have left the queue, or everything if the queue is empty.
local function forget(queue, known, ...)
    if redis.call('EXISTS', queue) == 0 then
        redis.call('DEL', known)
    else
        redis.call('HDEL', known, ...)
    end
end

-- Removes positions from the queue. Returns how many there were.
local function leave(queue, known, ...)
    local count = redis.call('ZREM', queue, ...)
    forget(queue, known, ...)
    return count
end

-- Returns whether a fair position precedes that arrival; 0 stands for the end of the queue. If fair positions were requested
-- lately and none is among the first positions, one is assumed behind them.
local function fair_before(queue, known, arrival, now)
    local asked = tonumber(redis.call('HGET', known, FAIR))
    if not asked or now - asked > PLACE_LIFE * 1000 then
        return false
    end
    arrival = tonumber(arrival)
    local places = redis.call('ZRANGE', queue, 0, MOST_SEEN - 1, 'WITHSCORES')
    for i = 1, #places, 2 do
        if arrival > 0 and tonumber(places[i + 1]) >= arrival then
            return false
        elseif is_fair(places[i]) then
            return true
        end
    end
    return #places == 2 * MOST_SEEN
end

-- Returns whether the client of a position let a claim lapse. Its positions are dropped until it asks again.
local function is_absent(known, place)
    return redis.call('HEXISTS', known, ABSENT .. client(place)) == 1
end

local function find_absent(known, claim)
    local absent = redis.pcall('GET', claim)
    if type(absent) == 'string' then
        -- a full server allows this first write, and then the rest
        redis.call('DEL', claim)
        note(known, ABSENT .. client(absent), '1')
    end
end

-- Returns the arrival of the last of the consecutive fair positions at the front that belong to the same client; 0 if there are
-- none. They can be served from the tenure that is assigned now.
local function next_of(queue, place)
    local last = 0
    local next = redis.call('ZRANGE', queue, 0, 0)[1]
    local places = next and client(next) == client(place) and redis.call('ZRANGE', queue, 0, MOST_NEXT - 1, 'WITHSCORES') or {}
    for i = 1, #places, 2 do
        if not is_fair(places[i]) or client(places[i]) ~= client(place) then
            break
        end
        last = places[i + 1]
    end
    return last
end

-- Serves the first position whose client listens: removes it, and assigns the lock to it or wakes it. Positions whose client
-- does not listen are dropped, and so are fair positions of absent clients. If this user may not send messages, all clients
-- live by polling. Then a barging position stays and the lock stays free; a fair position is assigned the lock, and finds out
-- by polling. Returns the highest unit given, and whether something is left to serve.
local function serve(lock, token, queue, claim, known, inboxes, assign, last, now)
    find_absent(known, claim)
    local first, units = draw(last, now, CLAIM_UNITS)
    for _ = 1, MOST_SERVED do
        local popped = redis.call('ZPOPMIN', queue)
        if #popped == 0 then
            redis.call('DEL', known)
            return last, false
        end
        local place, fair = popped[1], is_fair(popped[1])
        local lasts = claim_of(known, place)
        local message = 'F ' .. lock
        if assign or fair then
            message = string.format('A %s %.0f %.0f %.0f %.0f %.0f ', string.match(place, '[^:]*$'), first, units,
                redis.call('ZCARD', queue), fair and next_of(queue, place) or 0, now + lasts * 1000) .. lock
        end
        local heard = fair and is_absent(known, place) and 0 or tell(inboxes, place, message)
        if not heard and not fair then
            redis.call('ZADD', queue, popped[2], place)
            redis.call('PEXPIRE', queue, PLACE_LIFE)
            return last, false
        end
        forget(queue, known, place)
        if heard ~= 0 then
            if assign or fair then
                redis.call('HSET', lock, fair and string.sub(place, 2) or place, '1')
                redis.call('PEXPIRE', lock, lasts)
                keep(token, first + units - 1)
                last = first + units - 1
            end
            if fair then
                redis.call('SET', claim, place, 'PX', CLAIM_LIFE)
            end
            return last, false
        end
    end
    return last, true
end
