-- Renews the leases of held locks. A failure of one lock does not fail the others.
--
-- KEYS  for each lock: lock, counter, queue, claim, floor, as for acquire
-- ARGV  for each lock: tenure, lease in ms, units wanted or 0, unit above which later ones must be or 0
-- reply {now} and for each lock, in their order, four more:
--       0, 0, 0, 0                                lost
--       1, waiters, first unit, units or 0        renewed
--       2, text of the error, 0, 0                failed

local now = clock()
local reply = {now}

local function add(...)
    for _, value in ipairs({...}) do
        reply[#reply + 1] = value
    end
end

for i = 1, #KEYS, 5 do
    local lock, queue, claim = KEYS[i], KEYS[i + 2], KEYS[i + 3]
    local at = (i - 1) / 5 * 4
    local tenure, lease, wanted, above = ARGV[at + 1], ARGV[at + 2], tonumber(ARGV[at + 3]), tonumber(ARGV[at + 4])
    local held = redis.pcall('HEXISTS', lock, tenure)
    local ruined, token, last
    if wanted > 0 or above > 0 then
        ruined, token, last = units_of(KEYS[i + 1], KEYS[i + 4])
    end
    local waiters = redis.pcall('ZCARD', queue)
    local bad = wrong(lock, held) or held == 1 and (crowded(lock) or ruined or wrong_queue(queue, waiters)
        or wrong(claim, redis.pcall('GET', claim), is_tenure))
    if not bad and held == 1 then
        local set = redis.pcall('PEXPIRE', lock, longer(lock, lease))
        bad = type(set) == 'table' and set
        redis.call('DEL', claim)
    end
    if bad then
        add(2, bad.err, 0, 0)
    elseif held == 0 then
        add(0, 0, 0, 0)
    else
        local first, units = 0, 0
        if token then
            first, units = draw_above(token, last, above, wanted, now)
        end
        add(1, waiters, first, units)
    end
end
return reply
