-- What Redisson's clients have to hear of a lock that is free; put before the scripts that free one.
--
-- KEYS  6 the line of Redisson's fair lock of that name, only if its clients are to be told

-- Tells those that wait for the lock, and the first in the line who listens, on a channel of its own. How many heard it;
-- clients of ours listen there, too.
local function tell_redisson()
    local line = KEYS[7]
    if not line then
        return 0
    end
    local channel = string.gsub(line, 'lock_queue', 'lock__channel', 1)
    local heard = redis.pcall('PUBLISH', channel, '0')
    heard = type(heard) == 'number' and heard or 0
    -- a key of another type, or a missing right, gives a table without places
    for _, owner in ipairs(redis.pcall('LRANGE', line, 0, 31)) do
        local told = redis.pcall('PUBLISH', channel .. ':' .. owner, '0')
        if type(told) == 'number' and told > 0 then
            return heard + told
        end
    end
    return heard
end
