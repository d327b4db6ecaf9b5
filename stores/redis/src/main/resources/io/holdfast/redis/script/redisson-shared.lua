-- Redisson's clients at a read/write lock; put before the scripts that let somebody in or keep somebody off.
--
-- They listen on a channel of that lock while they wait, and so do clients of ours, who are in the queue. Ours listen on a
-- second channel as well, on which nothing is said: those on the first who are not on the second are Redisson's.

local MARK = 'hf:in:'

-- How many of Redisson's clients wait; 0 where they are not to be told, and there is no channel.
local function redisson_waits(channel)
    if channel == '' then
        return 0
    end
    local counts = redis.pcall('PUBSUB', 'NUMSUB', channel, MARK .. channel)
    return counts.err and 0 or math.max(0, counts[2] - counts[4])
end

-- Tells them that they may come in: '1' wakes all that sleep, and '0' one that is about to, too.
local function tell_redisson(channel)
    redis.pcall('PUBLISH', channel, '1')
    redis.pcall('PUBLISH', channel, '0')
end
