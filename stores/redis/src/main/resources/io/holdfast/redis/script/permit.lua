-- The part that the scripts of semaphores share.
--
-- KEYS  1 limit: the number of permits, until it is deleted
--       2 held: a sorted set of the holding tenures by the number of their permits, which is below zero until the store hears
--         from an assigned holder; and '=' for the sum
--       3 ends: a sorted set of them by the end of their lease
--       4 queue: a sorted set of the waiting tenures by arrival; fair positions begin with an exclamation mark
--       5 wanted: a sorted set of the same by the number of permits that they want
--       6 counter: the highest token unit given, as for locks
--       7 done: the changes of the last minute
--       8 known: a hash of what is known about the queue
--
-- Invariants:
-- 1. '=' is the sum of the permits that are held or assigned.
-- 2. A holder has an end in 'ends', or it would never be dropped.
-- 3. A script that grants, changes or returns permits first drops what has expired, and serves the queue. No other script
--    does so when a holder dies.

-- Returns the error if a key cannot be used; otherwise nil. Also returns the number of permits, and the highest unit given
-- unless 'token' is nil.
local function unusable(limit, held, ends, queue, wanted, token, done, known)
    local total, last = redis.pcall('GET', limit), token and redis.pcall('GET', token)
    local bad = wrong(limit, total, is_number) or wrong(token, last, is_number) or wrong_known(known)
    for _, key in ipairs({held, ends, queue, wanted, done}) do
        bad = bad or wrong(key, redis.pcall('ZRANGE', key, 0, 0), is_holder)
    end
    return bad, tonumber(total), last
end

local function sum(held)
    return tonumber(redis.call('ZSCORE', held, '=')) or 0
end

local function is_held(held, tenure)
    return redis.call('ZSCORE', held, tenure)
end

-- Makes a tenure a holder. Both sets of holders outlive the last lease, so that a lapsed assignment is noticed.
local function hold(held, ends, tenure, count, expires)
    if not is_held(held, tenure) then
        redis.call('ZINCRBY', held, math.abs(count), '=')
    end
    redis.call('ZADD', held, count, tenure)
    local before = tonumber(redis.call('ZSCORE', ends, tenure)) or 0
    redis.call('ZADD', ends, string.format('%.0f', math.max(before, expires)), tenure)
    local latest = tonumber(redis.call('ZRANGE', ends, -1, -1, 'WITHSCORES')[2])
    local gone = string.format('%.0f', math.ceil(latest / 1000) + CLAIM_LIFE)
    redis.call('PEXPIREAT', held, gone)
    redis.call('PEXPIREAT', ends, gone)
end

-- Removes a holder and its permits.
local function take_away(held, tenure, count)
    redis.call('ZREM', held, tenure)
    if tonumber(redis.call('ZINCRBY', held, -math.abs(count), '=')) <= 0 then
        redis.call('DEL', held)
    end
end

-- Returns 1 if the tenure held permits; otherwise 0.
local function give_back(held, ends, tenure)
    redis.call('ZREM', ends, tenure)
    local count = tonumber(is_held(held, tenure))
    if not count then
        return 0
    end
    take_away(held, tenure, count)
    return 1
end

local function go(queue, wanted, known, place)
    leave(queue, known, place)
    redis.call('ZREM', wanted, place)
end

-- Drops holders whose lease has ended: some of them, and in any case the asking tenure. A client that let a claim lapse is
-- marked absent: its positions are dropped until it asks again. Returns whether some are left.
local function expire(held, ends, known, now, asking)
    local over = redis.call('ZRANGEBYSCORE', ends, '-inf', string.format('%.0f', now), 'LIMIT', 0, MOST_SERVED)
    local own = tonumber(redis.call('ZSCORE', ends, asking))
    local more = #over == MOST_SERVED
    if more and own and own <= now then
        over[#over + 1] = asking
    end
    for _, tenure in ipairs(over) do
        local unclaimed = (tonumber(is_held(held, tenure)) or 0) < 0
        -- a full server allows this first write, and then the rest
        give_back(held, ends, tenure)
        if unclaimed then
            note(known, ABSENT .. client(tenure), '1')
        end
    end
    return more
end

-- Returns whether the client of a position listens. If this user may not ask, it is assumed to.
local function listens(inboxes, place)
    return listeners(inboxes, place)[2] ~= 0
end

-- Drops dead fair positions among the first ones, up to a live one. Behind a live barging position that waits for more permits
-- than are free, they are not served, and would bar newcomers.
local function drop_dead_fair(queue, wanted, known, inboxes)
    for _, place in ipairs(redis.call('ZRANGE', queue, 0, MOST_SEEN - 1)) do
        if is_fair(place) then
            if not is_absent(known, place) and listens(inboxes, place) then
                return
            end
            go(queue, wanted, known, place)
        end
    end
end

-- Assigns free permits to the waiters in their order, until too few are free for the next one. Some positions are dropped:
--
-- * A position whose client does not listen, even if it wants more than is free. All others would wait for it.
-- * A position that wants more permits than there are. Its client is refused when it asks again.
--
-- If this user may not send messages, a fair waiter is assigned its permits all the same, and a barging one that listens stays in
-- the queue. Both find out by polling. Returns the highest unit given, and whether something is left to serve.
local function serve_permits(held, ends, queue, wanted, token, known, inboxes, name, total, last, now)
    for _ = 1, MOST_SERVED do
        local free = (total or 0) - sum(held)
        local place = free > 0 and redis.call('ZRANGE', queue, 0, 0)[1]
        local count = place and tonumber(redis.call('ZSCORE', wanted, place)) or 1
        local fits = count <= free
        local absent = place and is_absent(known, place)
        if not place or not fits and count <= total and not absent and listens(inboxes, place) then
            return last, false
        end
        local fair = is_fair(place)
        local tenure = fair and string.sub(place, 2) or place
        local first, units = draw(last, now, 1)
        local lasts = claim_of(known, place)
        local arrival = redis.call('ZSCORE', queue, place)
        -- A server that refuses writes refuses this first one. After a message, the waiter would be a second holder.
        redis.call('ZREM', queue, place)
        -- while the slot migrates, access to a deleted key fails: let it fail here, and not after an assignment was sent
        redis.call('EXISTS', queue)
        redis.call('EXISTS', ends)
        local heard = fits and (absent and 0 or tell(inboxes, place, string.format('AP %s %.0f %.0f 0 0 %.0f ',
            string.match(tenure, '[^:]*$'), first, units, now + lasts * 1000) .. name))
        if fits and not heard and not fair and listens(inboxes, place) then
            redis.call('ZADD', queue, arrival, place)
            redis.call('PEXPIRE', queue, PLACE_LIFE)
            return last, false
        end
        go(queue, wanted, known, place)
        if fits and heard ~= 0 then
            hold(held, ends, tenure, -count, now + lasts * 1000)
            last = first + units - 1
            keep({counter = token}, last)
        end
    end
    return last, true
end
