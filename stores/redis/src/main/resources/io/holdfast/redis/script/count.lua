-- The part that the scripts of semaphores and latches share. It remembers each change for a minute by the id of its request. A
-- late duplicate of the request changes nothing and has the same answer. The id follows '1 ' if the change was made, and '0 '
-- if there was nothing to do.

local REMEMBERED = 60000

-- Returns 1 or 0 if the request was carried out before; otherwise nil.
local function answer(done, id)
    for applied = 0, 1 do
        if redis.call('ZSCORE', done, applied .. ' ' .. id) then
            return applied
        end
    end
    return nil
end

local function remember(done, id, applied, now)
    drop_upto(done, now - REMEMBERED * 1000)
    redis.call('ZADD', done, string.format('%.0f', now), applied .. ' ' .. id)
    redis.call('PEXPIRE', done, REMEMBERED)
end
