-- Reports whether a latch is set, and its count. Writes nothing, and registers no listener.
--
-- KEYS  as for all latches
-- reply {1 if it is set or 0, count}

local bad, it = look_at_latch(KEYS[1], KEYS[2], KEYS[3], clock())
if bad then
    return bad
end
return {it.set and 1 or 0, it.count}
