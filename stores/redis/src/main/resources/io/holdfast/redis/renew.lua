-- Makes the leases of held locks last at least so long, each by itself: what is wrong with one does not touch the others.
--
-- KEYS  for each lock: lock, token, queue, claim, as for acquire
-- ARGV  for each lock: tenure, lease in ms, units wanted or 0, unit that later ones are to be above or 0
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

for i = 1, #KEYS, 4 do
    local lock, token, queue, claim = KEYS[i], KEYS[i + 1], KEYS[i + 2], KEYS[i + 3]
    local at = i - 1
    local tenure, lease, wanted, floor = ARGV[at + 1], ARGV[at + 2], tonumber(ARGV[at + 3]), tonumber(ARGV[at + 4])
    local held = redis.pcall('HEXISTS', lock, tenure)
    local last = (wanted > 0 or floor > 0) and redis.pcall('GET', token)
    local waiters = redis.pcall('ZCARD', queue)
    local bad = wrong(lock, held) or wrong(token, last) or wrong(queue, waiters)
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
        local first, units = draw_above(token, last, floor, wanted, now)
        add(1, waiters, first, units)
    end
end
return reply
