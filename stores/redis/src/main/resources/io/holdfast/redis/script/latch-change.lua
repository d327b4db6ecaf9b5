-- Changes a latch, and tells those who listen that it opened, is another one, or is gone.
--
-- KEYS  as for all latches
-- ARGV  1 the kind of the change, 2 its id, 3 count, 4 time after which to refuse, 5 prefix of inboxes, 6 name,
--       7 life in ms, or 0 for as long as it takes
-- reply {0, now}                               too late
--       {1, now, 1 if anything was to be done or 0, 1 if some are left to be told by the same once more or 0}

local latch, listeners, done = unpack(KEYS)
local kind, id, amount, life = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[7])

-- For how long one is kept that opened and has no life of its own, in microseconds.
local OPEN_LIFE = 604800000000

-- How many are told by one script, at most.
local MOST_TOLD = 200

-- Of a latch that is closed those who asked before it was set. 1 if some are left, else 0.
local function tell_some(it)
    local upto = it.over and '+inf' or string.format('%.0f', it.number)
    local some = redis.call('ZRANGEBYSCORE', listeners, '-inf', upto, 'LIMIT', 0, MOST_TOLD)
    for _, listener in ipairs(some) do
        redis.call('ZREM', listeners, listener)
    end
    for _, listener in ipairs(some) do
        send(ARGV[5], listener, 'C ' .. ARGV[6])
    end
    return #some == MOST_TOLD and 1 or 0
end

-- Numbers rise also when the key was lost: then by the clock, and nothing is known about earlier ones.
local function set_anew(it, now)
    if it.count > 0 then
        table.insert(it.unopened, it.number)
    end
    if #it.unopened > MOST_UNOPENED then
        it.forgotten = table.remove(it.unopened, 1)
    end
    local number = math.max(it.number + 1, now)
    it.forgotten = it.number == 0 and number - 1 or it.forgotten
    it.number, it.count, it.over = number, amount, false
    it.ends = life > 0 and now + life * 1000 or 0
end

local now = clock()
if now > tonumber(ARGV[4]) then
    return {0, now}
end
local bad, it = look_at_latch(latch, listeners, done, now)
if bad then
    return bad
end
local before = answer(done, id)
if before then
    return {1, now, before, before == 1 and tell_some(it) or 0}
end
if kind == 'RESET_COUNT' or (kind == 'TRY_COUNT') == (not it.set) then
    remember(done, id, 1, now)
else
    remember(done, id, 0, now)
    return {1, now, 0, 0}
end

if kind == 'DELETE_COUNT' then
    it.ends, it.over = now, true
elseif kind == 'COUNT_DOWN' then
    it.count = math.max(0, it.count - amount)
    it.over = it.count == 0
    it.ends = it.over and it.ends == 0 and now + OPEN_LIFE or it.ends
else
    set_anew(it, now)
end
keep_latch(latch, it, now)
return {1, now, 1, (it.over or kind ~= 'COUNT_DOWN') and tell_some(it) or 0}
