-- Makes the leases of held locks last at least so long: those of one client, for the same lease, with no tokens wanted. Each by
-- itself: what is wrong with one does not touch the others. What goes as usual is not mentioned in the reply.
--
-- KEYS  for each lock: lock, queue, claim, as for acquire
-- ARGV  1 client with a colon, 2 lease in ms; then for each lock the number of the tenure
-- reply {now} and three more for each lock that is lost, waited for, or failed:
--       which one, 0, 0                 lost
--       which one, 1, waiters           renewed
--       which one, 2, text of the error failed

local now = clock()
local reply = {now}

-- Redis knows since 7.0, where it tells which one it is, how not to make a life shorter; to it, none is the longest.
local function extend(lock, lease)
    local set = redis.REDIS_VERSION_NUM and redis.pcall('PEXPIRE', lock, lease, 'GT') or 0
    return set ~= 0 and set or redis.pcall('PEXPIRE', lock, longer(lock, lease))
end

for i = 1, #KEYS, 3 do
    local lock, queue, claim = KEYS[i], KEYS[i + 1], KEYS[i + 2]
    local which = (i + 2) / 3
    local held = redis.pcall('HEXISTS', lock, ARGV[1] .. ARGV[which + 2])
    -- mostly there is neither
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
