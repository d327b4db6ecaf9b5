-- Changes a latch, and tells those who listen that it opened, is another one, or is gone.
--
-- KEYS  1 latch: 'COUNT SET': the count that is left, and the id of the change that set it
--       2 listeners: a sorted set of clients by when they last asked
--       3 done: the changes of the last minute
--       4 opened: a sorted set of the settings that opened in the last minute, 16 at most; it outlives the latch, for those
--         who did not hear of it yet
-- ARGV  1 the kind of the change, 2 its id, 3 count, 4 time after which to refuse, 5 prefix of inboxes, 6 name,
--       7 life in ms, or 0 for as long as it takes
-- reply {0, now}                               too late
--       {1, now, 1 if anything was to be done or 0, 1 if some are left to be told by the same once more or 0}

local latch, listeners, done, opened = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local kind, id, amount, life = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[7]

-- For how long one is kept that opened and has no life of its own.
local OPEN_LIFE = '604800000'

-- How many are told by one script, at most.
local MOST_TOLD = 200

-- 1 if some are left, else 0.
local function tell_some()
    local some = redis.call('ZRANGE', listeners, 0, MOST_TOLD - 1)
    for _, listener in ipairs(some) do
        redis.call('ZREM', listeners, listener)
    end
    for _, listener in ipairs(some) do
        send(ARGV[5], listener, 'C ' .. ARGV[6])
    end
    return #some == MOST_TOLD and 1 or 0
end

local now = clock()
if now > tonumber(ARGV[4]) then
    return {0, now}
end
local state = redis.pcall('GET', latch)
local bad = wrong(latch, state, is_latch) or wrong(listeners, redis.pcall('ZCARD', listeners))
    or wrong(done, redis.pcall('ZRANGE', done, 0, 0), is_tenure)
    or wrong(opened, redis.pcall('ZRANGE', opened, 0, 0), is_tenure)
if bad then
    return bad
end
local left, set
if state then
    left, set = string.match(state, '^(%d+) (%S+)$')
    left = tonumber(left)
end
local before = answer(done, id)
if before then
    local over = before == 1 and (not state or left == 0 or set == id)
    return {1, now, before, over and tell_some() or 0}
end
if kind == 'RESET_COUNT' or (kind == 'TRY_COUNT') == (not state) then
    remember(done, id, 1, now)
else
    remember(done, id, 0, now)
    return {1, now, 0, 0}
end

local over = true
if kind == 'DELETE_COUNT' then
    redis.call('DEL', latch)
elseif kind == 'COUNT_DOWN' then
    local rest = math.max(0, left - amount)
    redis.call('SET', latch, string.format('%.0f %s', rest, set), 'KEEPTTL')
    if left > 0 and rest == 0 then
        if redis.call('PTTL', latch) == -1 then
            redis.call('PEXPIRE', latch, OPEN_LIFE)
        end
        redis.call('ZADD', opened, string.format('%.0f', now), set)
        redis.call('ZREMRANGEBYRANK', opened, 0, -17)
        redis.call('PEXPIRE', opened, '60000')
    end
    over = rest == 0
else
    redis.call('SET', latch, string.format('%.0f %s', amount, id))
    if life ~= '0' then
        redis.call('PEXPIRE', latch, life)
    end
end
return {1, now, 1, over and tell_some() or 0}
