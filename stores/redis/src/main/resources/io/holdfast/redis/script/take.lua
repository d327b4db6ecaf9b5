-- What taking one lock and taking several have in common; put before the scripts that do.

-- Writes that the tenure has the lock, and the highest unit of tokens that it got.
local function take(lock, token, claim, tenure, lease, free, unit)
    if free then
        redis.call('HSET', lock, tenure, '1')
        redis.call('PEXPIRE', lock, lease)
    else
        redis.call('PEXPIRE', lock, longer(lock, lease))
    end
    redis.call('DEL', claim)
    keep(token, unit)
end

-- The error to reply if others hold the lock in another way.
local function other_kind(lock)
    return redis.error_reply("HFKIND the name '" .. lock .. "' is held as a read/write lock, and requested as a lock;"
        .. ' use it as one of them only, or rename one')
end
