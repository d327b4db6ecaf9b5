-- What the scripts of read/write locks share; put after common and serve.
--
-- KEYS  for each lock: lock, counter, queue, leases, floor, timer; and known, as for acquire, where places come and go
--
-- The lock is a hash: 'mode' is 'read' or 'write', and there is a field for each tenure, that of a writer ends in ':write',
-- that of the one reader who may write later in ':upgrade'.
-- Other programs may have owners there, which are kept by the time to live of the key alone. The fields of this library have
-- their ends in a sorted set, too, in microseconds, so that a dead owner ends by itself and not with the last of all. The
-- timer is what Redisson's readers look for before they take the key away with themselves; its time to live is the reader's.
-- Places of readers are behind a smaller-than sign, of those who may write later behind a caret. Who does then is at the
-- front of the queue: its arrival is less than all others by 2^52, and so below zero until the year 2112.

local MARK = {read = '<', upgrade = '^', write = ''}
local ENDING = {read = '', upgrade = ':upgrade', write = ':write'}
local MESSAGE = {read = 'AR', upgrade = 'AU', write = 'AW'}
local CLAIM_UNIT = 1
local FRONT = 4503599627370496

-- When somebody last asked to write who may be behind the first places of the queue, in what is known of it.
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

-- What a place is for, and whose it is.
local function parse(place)
    local mark, tenure = string.sub(place, 1, 1), string.sub(place, 2)
    if mark == MARK.read then
        return 'read', tenure
    elseif mark == MARK.upgrade then
        return 'upgrade', tenure
    end
    return 'write', place
end

-- The owners in the lock, without the mode.
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

-- The owner who reads and may write later.
local function upgrader(lock)
    for _, owner in ipairs(owners(lock)) do
        if string.sub(owner, -8) == ENDING.upgrade then
            return owner
        end
    end
end

-- The error to reply if a key cannot be used, or the lock is held as another kind; else nil; the number of waiters, where units
-- are counted, and the highest.
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

-- Drops who let its lease end, and what nobody is left in. The mode of what is left; nil if it is free.
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

-- Keeps the owner for that many milliseconds, or for longer if it has longer already.
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

-- With what the timers of the lock begin, where a script is told.
local timers

-- What Redisson calls the timer of a reader; one for each of its holds.
local function timer_of(lock, owner, hold)
    local start = timers or string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'
    return start .. ':' .. owner .. ':rwlock_timeout:' .. (hold or 1)
end

-- How long the owner has the lock yet, in ms: of another program's reader as long as its timers, which are in the lock's slot.
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

-- Lets the key end with the last who reads, and drops readers of another program who are dead, whom the others' leases would
-- keep; a writer of another program is kept by the key. The mode of what is left.
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

-- How much is left of an owner's lease, in ms: of one of another program as much as of the key; 0 if it is over.
local function left_of(leases, owner, key_left, now)
    local ends = tonumber(redis.call('ZSCORE', leases, owner))
    return ends and math.max(0, math.ceil((ends - now) / 1000)) or key_left
end

-- Wakes who reads and would write, if nobody else reads any more: it asks, as it knows whether it still reads.
local function wake_upgrader(lock, tenure, inboxes)
    local all = owners(lock)
    if #all == 1 and upgrader(lock) and client(tenure_of(all[1])) == client(tenure) then
        tell(inboxes, tenure, 'F ' .. lock)
    end
end

-- The same, where nobody is to be served.
local function wake_front(lock, queue, inboxes)
    local found = redis.call('ZRANGE', queue, 0, 0, 'WITHSCORES')
    if found[1] and tonumber(found[2]) < 0 then
        wake_upgrader(lock, found[1], inboxes)
    end
end

-- Gives the lock to the first place if nobody stands in its way, and behind a reader to all readers that follow it; those who
-- may write later wait for one another only. A place that nobody hears of is dropped. Where messages are forbidden all places stay, as all clients live by polling then. The
-- timers of others are made from their names: all keys of a lock have one tag. After many the rest is left to the next script:
-- whether there is any.
local function serve_shared(lock, token, queue, leases, known, inboxes, mode, last, now)
    local at = 0
    local has_upgrader = upgrader(lock)
    for _ = 1, MOST_SERVED do
        local found = redis.call('ZRANGE', queue, at, at, 'WITHSCORES')
        local place = found[1]
        if not place or mode == 'write' then
            return false
        end
        local wanted, tenure = parse(place)
        local upgrades = tonumber(found[2]) < 0
        if upgrades and not mode then
            -- it does not read any more, and is to find out
            leave(queue, known, place)
            tell(inboxes, tenure, 'F ' .. lock)
        elseif mode and wanted == 'write' then
            if upgrades then
                wake_upgrader(lock, tenure, inboxes)
            end
            return false
        elseif mode and wanted == 'upgrade' and has_upgrader then
            at = at + 1
        else
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
                mode = wanted == 'write' and 'write' or 'read'
                has_upgrader = has_upgrader or wanted == 'upgrade'
                local owner = field(tenure, wanted)
                enter(lock, leases, owner, mode, timer_of(lock, owner), lasts, now)
                keep(token, unit)
                last = unit
            end
        end
    end
    -- those that were only passed over stay, so that the same once more would do no more for them
    return at < MOST_SERVED
end
