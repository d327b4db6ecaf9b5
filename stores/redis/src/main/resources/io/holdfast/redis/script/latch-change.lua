-- Changes a latch, and notifies the listeners if it opened, was set again, or ended.
--
-- KEYS  as for all latches
-- ARGV  1 the kind of the change, 2 its id, 3 count, 4 time after which to refuse, 5 prefix of inboxes, 6 name,
--       7 life in ms, or 0 for no end
-- reply {0, now}                               too late
--       {1, now, 1 if the change was made or 0, 1 if the same script is to be run again for the remaining listeners or 0}

local latch, listeners, done = unpack(KEYS)
local kind, id, amount, life = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[7])

-- The time in microseconds for which an open latch without a life of its own is kept.
local OPEN_LIFE = 604800000000

-- The number of listeners that one script notifies.
local MOST_TOLD = 200

-- Notifies some listeners. If the latch is closed, these are the ones that asked before it was set. Returns 1 if some are left;
-- otherwise 0.
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

-- Begins a new setting. Its number rises even if the key was lost: it is then the clock, and nothing is known about earlier
-- settings.
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
