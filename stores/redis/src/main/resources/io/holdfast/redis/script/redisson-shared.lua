-- Redisson's clients at a read/write lock. This part precedes the scripts that grant a read/write lock or free it.
--
-- Waiting clients of Redisson listen on a channel of that lock. Waiting clients of ours, which are in the queue, listen there
-- and also on a second channel, on which nothing is published. So the listeners of the first channel that are not on the second
-- are Redisson's.

local MARK = 'hf:in:'

-- Returns the number of waiting clients of Redisson; 0 without a channel, or if this user may not ask.
local function redisson_waits(channel)
    if channel == '' then
        return 0
    end
    local counts = redis.pcall('PUBSUB', 'NUMSUB', channel, MARK .. channel)
    return counts.err and 0 or math.max(0, counts[2] - counts[4])
end

-- Notifies them that they may enter: '1' wakes all that sleep, and '0' also one that is about to sleep (lost wake-up).
local function tell_redisson(channel)
    redis.pcall('PUBLISH', channel, '1')
    redis.pcall('PUBLISH', channel, '0')
end
