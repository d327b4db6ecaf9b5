-- Changes the number of permits of a semaphore, and serves the queue.
--
-- KEYS  as for all semaphores
-- ARGV  1 the kind of the change, 2 its id, 3 permits, 4 time after which to refuse, 5 prefix of inboxes, 6 name
-- reply {0, now}                               too late
--       {1, now, 1 if the change was made or 0, 1 if the same script is to be run again for the rest of the queue or 0}

local limit, held, ends, queue, wanted, token, done, known = unpack(KEYS)
local kind, id, amount, inboxes, name = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[5], ARGV[6]

local now = clock()
if now > tonumber(ARGV[4]) then
    return {0, now}
end
local bad, total, last = unusable(limit, held, ends, queue, wanted, token, done, known)
if bad then
    return bad
end
local before = answer(done, id)
if before then
    local more = expire(held, ends, known, now, id)
    local _, unserved = serve_permits(held, ends, queue, wanted, token, known, inboxes, name, total, last, now)
    return {1, now, before, (more or unserved) and 1 or 0}
end

local permits = amount
if kind == 'ADD_PERMITS' then
    if not total then
        return redis.error_reply("HFPERMITS the semaphore '" .. name .. "' has no permits yet: call trySetPermits first")
    end
    permits = total + amount
    if permits < 1 or permits > 2147483647 then
        return redis.error_reply(string.format("HFPERMITS the semaphore '%s' has %.0f permits in all, which cannot become %.0f:"
            .. ' 1 to 2147483647 are allowed', name, total, permits))
    end
end

local more = expire(held, ends, known, now, id)
local applied = 1
if kind == 'DELETE_PERMITS' then
    applied = total and sum(held) == 0 and redis.call('EXISTS', queue) == 0 and 1 or 0
    if applied == 1 then
        redis.call('DEL', limit)
    end
elseif kind == 'TRY_PERMITS' and total then
    applied = 0
else
    redis.call('SET', limit, string.format('%.0f', permits))
    total = permits
end
remember(done, id, applied, now)
local _, unserved = serve_permits(held, ends, queue, wanted, token, known, inboxes, name, total, last, now)
return {1, now, applied, (more or unserved) and 1 or 0}
