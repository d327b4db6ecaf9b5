-- The part that the scripts of read/write locks share. It follows common and serve.
--
-- KEYS  for each lock: lock, counter, queue, leases, floor, timer; and known, as for acquire, if positions come and go
--
-- The lock is a hash. 'mode' is 'read' or 'write', and each tenure has a field. The field of a writer ends in ':write'.
--
-- The owners of this library also have the ends of their leases in a sorted set, in microseconds. So a dead owner ends by
-- itself, and not with the last owner. Other programs may have owners in the lock, which live as long as the key. When an owner
-- of ours leaves, their readers are dropped if their timers have ended. A reader of ours has a timer as well, which lives as
-- long as its lease. Redisson's readers look for it before they delete the key.
--
-- The position of a reader begins with '<'.

local MARK = {read = '<', write = ''}
local ENDING = {read = '', write = ':write'}
local MESSAGE = {read = 'AR', write = 'AW'}
local CLAIM_UNIT = 1

-- The field of 'known' with the last time when a writer asked that may be behind the first positions of the queue.
local WRITER = '!write'

local function field(tenure, wanted)
    return tenure .. ENDING[wanted]
end

local function writes(owner)
    return string.sub(owner, -6) == ENDING.write
end

local function place_of(tenure, wanted)
    return MARK[wanted] .. tenure
end

-- Returns the mode that a position asks for, and its tenure.
local function parse(place)
    if string.sub(place, 1, 1) == MARK.read then
        return 'read', string.sub(place, 2)
    end
    return 'write', place
end

-- Returns the owners in the lock, without the mode.
local function owners(lock)
    local fields = redis.call('HKEYS', lock)
    for i = 1, #fields do
        if fields[i] == 'mode' then
            table.remove(fields, i)
            break
        end
    end
    return fields
end

-- Returns the error if a key cannot be used, or if the lock is held as another kind; otherwise nil. Also returns the number of
-- waiters, where the units are counted, and the highest unit given; the last two are nil without a counter.
local function unusable(lock, counter, queue, leases, floor, timer, known)
    local it = look_at_all(lock, counter, queue, nil, floor, known)
    local bad = it.bad or wrong(leases, redis.pcall('ZRANGE', leases, 0, 0), is_tenure)
        or timer and wrong(timer, redis.pcall('GET', timer), is_timer)
    if not bad and it.size > 0 and not it.shared then
        bad = redis.error_reply("HFKIND the name '" .. lock .. "' is held as a lock, and requested as a read/write lock;"
            .. ' use it as one of them only, or rename one')
    end
    return bad, it.waiters, it.token, it.last
end

-- Drops owners whose lease has ended, and the lock if no owner is left. Returns the mode of the lock; nil if it is free.
local function settle(lock, leases, now)
    local over = redis.call('ZRANGEBYSCORE', leases, '-inf', string.format('%.0f', now), 'LIMIT', 0, MOST_SERVED)
    for _, owner in ipairs(over) do
        redis.call('HDEL', lock, owner)
        redis.call('ZREM', leases, owner)
    end
    local mode = redis.call('HGET', lock, 'mode')
    if not mode then
        return nil
    end
    local left = owners(lock)
    if #left == 0 then
        redis.call('DEL', lock, leases)
        return nil
    end
    if mode == 'write' then
        for _, owner in ipairs(left) do
            if writes(owner) then
                return mode
            end
        end
        redis.call('HSET', lock, 'mode', 'read')
    end
    return 'read'
end

-- Extends the lease of an owner to that many milliseconds, unless it is longer already.
local function lease_to(lock, leases, owner, timer, lease, now)
    redis.call('PEXPIRE', lock, longer(lock, lease))
    local before = tonumber(redis.call('ZSCORE', leases, owner)) or 0
    local ends = math.max(before, now + lease * 1000)
    redis.call('ZADD', leases, string.format('%.0f', ends), owner)
    redis.call('PEXPIRE', leases, longer(leases, lease))
    if not writes(owner) and not wrong(timer, redis.pcall('GET', timer), is_timer) then
        redis.call('SET', timer, '1', 'PX', math.max(1, math.ceil((ends - now) / 1000)))
    end
end

-- The prefix of the lock's timers, in scripts that know it.
local timers

-- Returns the name that Redisson gives to the timer of a reader. Each hold of a reader has one.
local function timer_of(lock, owner, hold)
    local start = timers or string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'
    return start .. ':' .. owner .. ':rwlock_timeout:' .. (hold or 1)
end

-- Returns the lease left of an owner, in ms. A reader of another program lives as long as its timers, which are in the lock's
-- slot.
local function rest_of(lock, leases, owner, now)
    local ends = tonumber(redis.call('ZSCORE', leases, owner))
    if ends then
        return math.ceil((ends - now) / 1000)
    end
    local most = 0
    for hold = 1, tonumber(redis.call('HGET', lock, owner)) or 0 do
        most = math.max(most, redis.call('PTTL', timer_of(lock, owner, hold)))
    end
    return most
end

-- Lets the key expire with its last reader, and drops dead readers of another program, which the leases of others would keep. A
-- writer of another program lives as long as the key. Returns the mode of the lock; nil if it is free.
local function end_with_last(lock, leases, mode, now)
    local last = 0
    for _, owner in ipairs(mode and owners(lock) or {}) do
        local rest = rest_of(lock, leases, owner, now)
        if rest > 0 then
            last = math.max(last, rest)
        elseif not writes(owner) then
            redis.call('HDEL', lock, owner)
        else
            return mode
        end
    end
    if last > 0 then
        redis.call('PEXPIRE', lock, last)
    end
    return settle(lock, leases, now)
end

local function enter(lock, leases, owner, mode, timer, lease, now)
    if mode then
        redis.call('HSET', lock, 'mode', mode)
    end
    redis.call('HSET', lock, owner, '1')
    lease_to(lock, leases, owner, timer, lease, now)
end

-- Returns the lease left of an owner, in ms. An owner of another program lives as long as the key. It is 0 if the lease is
-- over.
local function left_of(leases, owner, key_left, now)
    local ends = tonumber(redis.call('ZSCORE', leases, owner))
    return ends and math.max(0, math.ceil((ends - now) / 1000)) or key_left
end

-- Serves the queue: assigns the lock to the first position if nobody excludes it. After a reader, all readers that follow it
-- are assigned the lock, too. A position whose client does not listen is dropped. If this user may not send messages, all
-- positions stay, because all clients live by polling then.
--
-- The names of other readers' timers are formed here. They are in the lock's slot, because all keys of a lock have one tag.
-- Returns whether something is left to serve, which the next script does.
local function serve_shared(lock, token, queue, leases, known, inboxes, mode, last, now)
    for _ = 1, MOST_SERVED do
        local found = redis.call('ZRANGE', queue, 0, 0, 'WITHSCORES')
        local place = found[1]
        if not place or mode == 'write' then
            return false
        end
        local wanted, tenure = parse(place)
        if mode and wanted == 'write' then
            return false
        end
        local unit = draw(last, now, CLAIM_UNIT)
        local lasts = claim_of(known, place)
        redis.call('ZREM', queue, place)
        local heard = tell(inboxes, tenure, string.format('%s %s %.0f 1 %.0f 0 %.0f ', MESSAGE[wanted],
            string.match(tenure, '[^:]*$'), unit, redis.call('ZCARD', queue), now + lasts * 1000) .. lock)
        if not heard then
            redis.call('ZADD', queue, found[2], place)
            redis.call('PEXPIRE', queue, '60000')
            return false
        end
        forget(queue, known, place)
        if heard ~= 0 then
            mode = wanted
            local owner = field(tenure, wanted)
            enter(lock, leases, owner, mode, timer_of(lock, owner), lasts, now)
            keep(token, unit)
            last = unit
        end
    end
    return true
end
