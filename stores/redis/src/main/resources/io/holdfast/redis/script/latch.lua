-- The part that the scripts of latches share.
--
-- KEYS  1 latch: numbers, one after the other: the count; the number of the last setting; its end in microseconds, or 0 for
--         none; the number up to which settings are forgotten; and, rising, the numbers above that of earlier settings that
--         ended before they opened. All other settings in between have opened. The key outlives the last setting by a
--         minute, for clients that have not heard of its end
--       2 listeners: a sorted set of clients by the time when they last asked, which is raised above the number of the setting
--         in force then
--       3 done: the changes of the last minute

local AFTERLIFE = 60000

-- The number of settings that are remembered because they ended before they opened, beside the last one.
local MOST_UNOPENED = 16

local function is_latch(text)
    return #text < 512 and string.find(text, '^%d+ %d+ %d+ %d+[ %d]*$')
end

-- Returns the error if a key cannot be used; otherwise nil and the latch. The number of a missing latch is 0.
local function look_at_latch(latch, listeners, done, now)
    local state = redis.pcall('GET', latch)
    local bad = wrong(latch, state, is_latch) or wrong(listeners, redis.pcall('ZCARD', listeners))
        or wrong(done, redis.pcall('ZRANGE', done, 0, 0), is_tenure)
    if bad then
        return bad
    end
    local all = {}
    for number in string.gmatch(state or '0 0 0 0', '%d+') do
        table.insert(all, tonumber(number))
    end
    local it = {count = all[1], number = all[2], ends = all[3], forgotten = all[4], unopened = {unpack(all, 5)}}
    it.set = it.number > 0 and (it.ends == 0 or now < it.ends)
    it.over = not it.set or it.count == 0
    return nil, it
end

local function keep_latch(latch, it, now)
    local all = {it.count, it.number, it.ends, it.forgotten, unpack(it.unopened)}
    for i, number in ipairs(all) do
        all[i] = string.format('%.0f', number)
    end
    redis.call('SET', latch, table.concat(all, ' '))
    if it.ends > 0 then
        redis.call('PEXPIRE', latch, string.format('%.0f', math.ceil((it.ends - now) / 1000) + AFTERLIFE))
    end
end
