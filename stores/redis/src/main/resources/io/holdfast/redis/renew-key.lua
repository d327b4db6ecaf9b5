-- Makes the lease of a held lock last at least so long, by its key alone: the others may be at another node just now.
--
-- KEYS  lock
-- ARGV  1 tenure, 2 lease in ms
-- reply {now, 1 if it is held or 0}

local now = clock()
local held = redis.pcall('HEXISTS', KEYS[1], ARGV[1])
local bad = wrong(KEYS[1], held)
if bad then
    return bad
end
if held == 1 then
    redis.call('PEXPIRE', KEYS[1], longer(KEYS[1], ARGV[2]))
end
return {now, held}
