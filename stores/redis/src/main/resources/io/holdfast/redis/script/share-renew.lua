-- Renews the leases of held read/write locks. A failure of one lock does not fail the others.
--
-- KEYS  for each lock: lock, counter, queue, leases, floor, timer, as for all read/write locks
-- ARGV  for each lock: tenure, lease in ms, units wanted or 0, 'read' or 'write', unit above which later ones must be or 0
-- reply as for renew

local now = clock()
local reply = {now}

local function add(...)
    for _, value in ipairs({...}) do
        reply[#reply + 1] = value
    end
end

for i = 1, #KEYS, 6 do
    local lock, counter, queue, leases, floor, timer = unpack(KEYS, i, i + 5)
    local at = (i - 1) / 6 * 5
    local owner, wanted, above = field(ARGV[at + 1], ARGV[at + 4]), tonumber(ARGV[at + 3]), tonumber(ARGV[at + 5])
    -- one counter serves all names: a broken one must not end holds that want no units
    local read = (wanted > 0 or above > 0) and counter or nil
    local bad, waiters, token, last = unusable(lock, read, queue, leases, floor, timer)
    if bad and string.find(bad.err, 'HFKIND', 1, true) then
        add(0, 0, 0, 0)
    elseif bad then
        add(2, bad.err, 0, 0)
    elseif not settle(lock, leases, now) or redis.call('HEXISTS', lock, owner) == 0 then
        add(0, 0, 0, 0)
    else
        lease_to(lock, leases, owner, timer, tonumber(ARGV[at + 2]), now)
        local first, units = 0, 0
        if token then
            first, units = draw_above(token, last, above, wanted, now)
        end
        add(1, waiters, first, units)
    end
end
return reply
