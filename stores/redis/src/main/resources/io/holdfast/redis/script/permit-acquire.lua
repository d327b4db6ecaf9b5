-- Acquires permits for a tenure if enough are free or the tenure holds them. Otherwise queues the tenure if it wants a
-- position.
--
-- KEYS  as for all semaphores
-- ARGV  1 to 7 as for acquire; 8 permits or 0 for all that are free, 9 name
-- reply {0, now}                                                  too late
--       {1, now, first unit, units, waiters, permits}             granted
--       {2, now, next lease left in ms, arrival or 0, holder}     refused

local limit, held, ends, queue, wanted, token, done, known = unpack(KEYS)
local tenure, inboxes, count, name = ARGV[1], ARGV[7], tonumber(ARGV[8]), ARGV[9]

local now = clock()
if now > tonumber(ARGV[4]) then
    return {0, now}
end
local bad, total, last = unusable(limit, held, ends, queue, wanted, token, done, known)
if bad then
    return bad
end
if not total then
    return redis.error_reply("HFPERMITS the semaphore '" .. name .. "' has no permits yet: call trySetPermits first")
elseif count > total then
    return redis.error_reply("HFPERMITS the semaphore '" .. name .. "' has " .. total .. ' permits in all, and ' .. count
        .. ' were requested: request fewer, or add some with addPermits')
end

local more = expire(held, ends, known, now, tenure)
if not is_held(held, tenure) then
    local unserved
    last, unserved = serve_permits(held, ends, queue, wanted, token, known, inboxes, name, total, last, now)
    more = more or unserved
end

local me = (ARGV[5] == '2' and FAIR or '') .. tenure
local place = tonumber(redis.call('ZSCORE', queue, me))
local arrival = place or tonumber(ARGV[6])
local function overtakes()
    if ARGV[5] ~= '2' then
        if not fair_before(queue, known, arrival, now) then
            return false
        end
        drop_dead_fair(queue, wanted, known, inboxes)
        return fair_before(queue, known, arrival, now)
    end
    local first = redis.call('ZRANGE', queue, 0, 0, 'WITHSCORES')
    return #first > 0 and (arrival == 0 or tonumber(first[2]) < arrival)
end

local free = total - sum(held)
if is_held(held, tenure) or free >= math.max(1, count) and not overtakes() then
    local has = math.abs(tonumber(is_held(held, tenure)) or (count == 0 and free or count))
    local first, units = draw(last, now, tonumber(ARGV[3]))
    hold(held, ends, tenure, has, now + tonumber(ARGV[2]) * 1000)
    keep({counter = token}, first + units - 1)
    go(queue, wanted, known, me)
    return {1, now, first, units, redis.call('ZCARD', queue), has}
end

local next = redis.call('ZRANGE', ends, 0, 0, 'WITHSCORES')
local left = next[2] and math.ceil((tonumber(next[2]) - now) / 1000) or CLAIM
-- a client that asks again soon continues with the rest
local reply = {2, now, more and 1 or left, place or 0, next[1] or ''}
if ARGV[5] ~= '0' then
    reply[4] = enqueue(queue, known, me, ARGV[6], ARGV[2], now)
    redis.call('ZADD', wanted, count, me)
    redis.call('PEXPIRE', wanted, '60000')
end
return reply
