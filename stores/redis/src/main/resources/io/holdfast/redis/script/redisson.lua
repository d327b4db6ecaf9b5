-- The messages for Redisson's clients about a free lock. This part precedes the scripts that free one.
--
-- KEYS  7 the wait queue of Redisson's fair lock of that name, only if its clients are to be notified

-- Notifies the waiters of the lock. Also notifies the first listening one of the first 32 waiters of the fair lock, which
-- listen on channels of their own. Returns the number of receivers. Clients of ours listen on the first channel, too.
local function tell_redisson()
    local line = KEYS[7]
    if not line then
        return 0
    end
    local channel = string.gsub(line, 'lock_queue', 'lock__channel', 1)
    local heard = redis.pcall('PUBLISH', channel, '0')
    heard = type(heard) == 'number' and heard or 0
    -- a key of another type, or a missing right, gives a table without elements
    for _, owner in ipairs(redis.pcall('LRANGE', line, 0, 31)) do
        local told = redis.pcall('PUBLISH', channel .. ':' .. owner, '0')
        if type(told) == 'number' and told > 0 then
            return heard + told
        end
    end
    return heard
end
