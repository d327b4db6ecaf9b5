-- Gives a lock up for a tenure by its key alone: the others may be at another node just now. Who waits asks by itself.
--
-- KEYS  lock
-- ARGV  1 tenure
-- reply {1 if it was held or 0, waiters, which are not known, now}

local now = clock()
local held = redis.pcall('HDEL', KEYS[1], ARGV[1])
return wrong(KEYS[1], held) or {held, 0, now}
