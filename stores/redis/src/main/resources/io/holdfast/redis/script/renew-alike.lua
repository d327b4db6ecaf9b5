-- Renews the leases of held locks of one client, all for the same lease and without tokens. A failure of one lock does not fail
-- the others. The reply does not mention locks that are renewed and have no waiters.
--
-- KEYS  for each lock: lock, queue, claim, as for acquire
-- ARGV  1 client with a colon, 2 lease in ms; then for each lock the number of the tenure
-- reply {now} and three more for each lock that is lost, waited for, or failed:
--       which one, 0, 0                 lost
--       which one, 1, waiters           renewed
--       which one, 2, text of the error failed

local now = clock()
local reply = {now}

-- Extends the time to live. Since 7.0, the version in which it reports its version to scripts, Redis can do so without
-- shortening it. GT counts a missing time to live as the longest one, so the second command sets one.
local function extend(lock, lease)
    local set = redis.REDIS_VERSION_NUM and redis.pcall('PEXPIRE', lock, lease, 'GT') or 0
    return set ~= 0 and set or redis.pcall('PEXPIRE', lock, longer(lock, lease))
end

for i = 1, #KEYS, 3 do
    local lock, queue, claim = KEYS[i], KEYS[i + 1], KEYS[i + 2]
    local which = (i + 2) / 3
    local held = redis.pcall('HEXISTS', lock, ARGV[1] .. ARGV[which + 2])
    -- usually there is neither a queue nor a claim
    local others = redis.call('EXISTS', queue, claim) > 0
    local waiters = others and redis.pcall('ZCARD', queue) or 0
    local bad = wrong(lock, held) or held == 1 and (crowded(lock) or wrong_queue(queue, waiters)
        or others and wrong(claim, redis.pcall('GET', claim), is_tenure))
    if not bad and held == 1 then
        local set = extend(lock, ARGV[2])
        bad = type(set) == 'table' and set
        if others then
            redis.call('DEL', claim)
        end
    end
    if bad or held == 0 or waiters > 0 then
        local at = #reply
        reply[at + 1], reply[at + 2], reply[at + 3] = which, bad and 2 or held, bad and bad.err or held == 1 and waiters or 0
    end
end
return reply
