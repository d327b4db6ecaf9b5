-- Serving the queue of a free lock; put before the scripts that free one.

-- How long an assigned tenure keeps the lock unless it is renewed, in ms, and the units for tokens it gets.
local CLAIM, CLAIM_UNITS = 1000, 32

-- Takes the first place whose client listens off the queue, and gives the lock to it, or wakes it. A place that nobody
-- hears of is dropped; after 32 of them the rest is left to the next release, or to their own polls. Where messages are
-- forbidden the place stays and the lock is free, as all clients must live by polling then.
local function serve(lock, token, queue, inboxes, assign, last, now)
    local first, units = draw(last, now, CLAIM_UNITS)
    for _ = 1, 32 do
        local place = redis.call('ZPOPMIN', queue)
        if #place == 0 then
            return
        end
        local message = 'F ' .. lock
        if assign then
            message = string.format('A %s %.0f %.0f %.0f %.0f ', string.match(place[1], '[^:]*$'), first, units,
                redis.call('ZCARD', queue), now + CLAIM * 1000) .. lock
        end
        local heard = tell(inboxes, place[1], message)
        if not heard then
            redis.call('ZADD', queue, place[2], place[1])
            redis.call('PEXPIRE', queue, '60000')
            return
        elseif heard > 0 then
            if assign then
                redis.call('HSET', lock, place[1], '1')
                redis.call('PEXPIRE', lock, CLAIM)
                keep(token, first + units - 1)
            end
            return
        end
    end
end
