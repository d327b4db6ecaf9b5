-- The queue of a lock, and serving it when the lock is free; put before the scripts that free one.

-- How long an assigned tenure keeps the lock unless it is renewed, in ms; for how long a claim is kept that may have lapsed;
-- and the units for tokens it gets.
local CLAIM, CLAIM_LIFE, CLAIM_UNITS = 1000, 10000, 32

-- How many places of one client are served by it alone, at most.
local MOST_NEXT = 64

-- What fair places begin with, in the queue.
local FAIR = '!'

local function is_fair(place)
    return string.sub(place, 1, 1) == FAIR
end

-- Takes a place, or refreshes it: where it was before, or at the end. Its arrival, and whether it is new.
local function enqueue(queue, place, before, now)
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
    redis.call('PEXPIRE', queue, '60000')
    return arrival, new
end

-- Whether a fair place is before that arrival; 0 is behind all.
local function fair_before(queue, arrival)
    arrival = tonumber(arrival)
    local from = 0
    repeat
        local places = redis.call('ZRANGE', queue, from, from + 31, 'WITHSCORES')
        for i = 1, #places, 2 do
            if arrival > 0 and tonumber(places[i + 1]) >= arrival then
                return false
            elseif is_fair(places[i]) then
                return true
            end
        end
        from = from + 32
    until #places < 64
    return false
end

-- A client that let a claim lapse is not there: its fair places go, and come back when it asks again.
local function drop_absent(queue, claim)
    local absent = redis.pcall('GET', claim)
    if type(absent) ~= 'string' then
        return
    end
    for _, place in ipairs(redis.call('ZRANGE', queue, 0, -1)) do
        if is_fair(place) and client(place) == client(absent) then
            redis.call('ZREM', queue, place)
        end
    end
    redis.call('DEL', claim)
end

-- The arrival of the last of the first places that are fair ones of the client, one behind the other; 0 for none.
local function next_of(queue, place)
    local last = 0
    local places = redis.call('ZRANGE', queue, 0, MOST_NEXT - 1, 'WITHSCORES')
    for i = 1, #places, 2 do
        if not is_fair(places[i]) or client(places[i]) ~= client(place) then
            break
        end
        last = places[i + 1]
    end
    return last
end

-- Takes the first place whose client listens off the queue, and gives the lock to it, or wakes it. A place that nobody
-- hears of is dropped; after 32 of them the rest is left to the next release, or to their own polls. Where messages are
-- forbidden all clients must live by polling: a place that would be woken stays, and the lock is free; a fair one gets
-- the lock, and finds out. The highest unit of tokens given then.
local function serve(lock, token, queue, claim, inboxes, assign, last, now)
    drop_absent(queue, claim)
    local first, units = draw(last, now, CLAIM_UNITS)
    for _ = 1, 32 do
        local popped = redis.call('ZPOPMIN', queue)
        if #popped == 0 then
            return last
        end
        local place, fair = popped[1], is_fair(popped[1])
        local message = 'F ' .. lock
        if assign or fair then
            message = string.format('A %s %.0f %.0f %.0f %.0f %.0f ', string.match(place, '[^:]*$'), first, units,
                redis.call('ZCARD', queue), fair and next_of(queue, place) or 0, now + CLAIM * 1000) .. lock
        end
        local heard = tell(inboxes, place, message)
        if not heard and not fair then
            redis.call('ZADD', queue, popped[2], place)
            redis.call('PEXPIRE', queue, '60000')
            return last
        elseif heard ~= 0 then
            if assign or fair then
                redis.call('HSET', lock, fair and string.sub(place, 2) or place, '1')
                redis.call('PEXPIRE', lock, CLAIM)
                keep(token, first + units - 1)
                last = first + units - 1
            end
            if fair then
                redis.call('SET', claim, place, 'PX', CLAIM_LIFE)
            end
            return last
        end
    end
    return last
end
