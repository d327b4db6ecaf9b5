-- What the scripts of semaphores and latches share: changes that were made are remembered for a minute, by the id of the request
-- behind '1 ' if anything was to be done, or '0 '; so that a second copy changes nothing and has the same answer.

local REMEMBERED = 60000

-- 1 or 0 for a change that was made before, else nil.
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
