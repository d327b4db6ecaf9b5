-- The queue of a lock, and serving it when the lock is free; put before the scripts that free one.
--
-- known is a hash about the queue: the leases, in ms, of the places whose lease is shorter than the claim window; behind an
-- exclamation mark when a fair place was last asked for; and behind a minus the clients that let a claim lapse, until they are
-- heard of again.
--
-- No script does more for a longer queue: it looks at the first places, and leaves the rest to the next one.

-- How long an assigned tenure keeps the lock unless it is renewed or its lease is shorter, in ms; for how long a claim is kept
-- that may have lapsed; and the units for tokens it gets.
local CLAIM, CLAIM_LIFE, CLAIM_UNITS = 1000, 10000, 32

-- How many places are looked at in search of a fair one, and how many are served or dropped by one script, at most.
local MOST_SEEN, MOST_SERVED = 64, 100

-- How many places of one client are served by it alone, at most.
local MOST_NEXT = 64

-- What fair places begin with, in the queue; and absent clients, in what is known of it.
local FAIR, ABSENT = '!', '-'

-- For how long places are kept that nobody asks for, in ms.
local PLACE_LIFE = 60000

local function is_fair(place)
    return string.sub(place, 1, 1) == FAIR
end

-- Notes something about the queue, for as long as its places are kept.
local function note(known, what, value)
    redis.call('HSET', known, what, value)
    redis.call('PEXPIRE', known, PLACE_LIFE)
end

local fair_noted = false

-- Takes a place for that lease in ms, or refreshes it: where it was before, or at the end. Its arrival, and whether it is new.
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

-- How long a place that is assigned the lock keeps it unless it is renewed, in ms: never longer than its lease, as a renewal
-- could not shorten that.
local function claim_of(known, place)
    return tonumber(redis.call('HGET', known, place)) or CLAIM
end

-- Forgets what is known of places that have left the queue; and everything, if it is empty now.
local function forget(queue, known, ...)
    if redis.call('EXISTS', queue) == 0 then
        redis.call('DEL', known)
    else
        redis.call('HDEL', known, ...)
    end
end

-- Takes places off the queue. How many there were.
local function leave(queue, known, ...)
    local count = redis.call('ZREM', queue, ...)
    forget(queue, known, ...)
    return count
end

-- Whether a fair place is before that arrival; 0 is behind all. Where there are fair places, and none is among the first, there
-- may be one behind them.
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

-- A client that let a claim lapse is not there: its places are passed over until it asks again.
local function is_absent(known, place)
    return redis.call('HEXISTS', known, ABSENT .. client(place)) == 1
end

local function find_absent(known, claim)
    local absent = redis.pcall('GET', claim)
    if type(absent) == 'string' then
        -- what a full server allows comes first
        redis.call('DEL', claim)
        note(known, ABSENT .. client(absent), '1')
    end
end

-- The arrival of the last of the first places that are fair ones of the client, one behind the other; 0 for none.
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

-- Takes the first place whose client listens off the queue, and gives the lock to it, or wakes it. A place that nobody
-- hears of, or a fair one of an absent client, is dropped; after many of them the rest is left to the next script. Where messages
-- are forbidden all clients must live by polling: a place that would be woken stays, and the lock is free; a fair one gets
-- the lock, and finds out. The highest unit of tokens given then, and whether something is left.
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
