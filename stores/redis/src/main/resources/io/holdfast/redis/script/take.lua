-- The part that acquiring one lock and acquiring several have in common. It precedes these scripts.

-- Makes the tenure the holder of the lock, and writes the highest token unit that it was given.
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

-- Returns the error for a name that is held as a read/write lock.
local function other_kind(lock)
    return redis.error_reply("HFKIND the name '" .. lock .. "' is held as a read/write lock, and requested as a lock;"
        .. ' use it as one of them only, or rename one')
end
