-- Renews the leases of permits. A failure of one semaphore does not fail the others.
--
-- KEYS  for each: as for all semaphores
-- ARGV  for each: tenure, lease in ms, units wanted or 0
-- reply as for renew

local now = clock()
local reply = {now}

local function add(...)
    for _, value in ipairs({...}) do
        reply[#reply + 1] = value
    end
end

for i = 1, #KEYS, 8 do
    local held, ends, queue, wanted, token = KEYS[i + 1], KEYS[i + 2], KEYS[i + 3], KEYS[i + 4], KEYS[i + 5]
    local at, known = (i - 1) / 8 * 3, KEYS[i + 7]
    local tenure, lease, more = ARGV[at + 1], tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3])
    -- one counter serves all names: a broken one must not end holds that want no units
    local read = more > 0 and token or nil
    local bad, _, last = unusable(KEYS[i], held, ends, queue, wanted, read, KEYS[i + 6], known)
    if bad then
        add(2, bad.err, 0, 0)
    else
        -- a full server allows this first write, and then the rest
        redis.call('ZREM', ends, '')
        expire(held, ends, known, now, tenure)
        local count = tonumber(is_held(held, tenure))
        if not count then
            add(0, 0, 0, 0)
        else
            hold(held, ends, tenure, math.abs(count), now + lease * 1000)
            local first, units = 0, 0
            if more > 0 then
                first, units = draw(last, now, more)
                keep({counter = token}, first + units - 1)
            end
            add(1, redis.call('ZCARD', queue), first, units)
        end
    end
end
return reply
