-- Whether a latch is set, and the count that is left; writes nothing, and nobody is told of anything later.
--
-- KEYS  as for all latches
-- reply {1 if it is set or 0, count}

local bad, it = look_at_latch(KEYS[1], KEYS[2], KEYS[3], clock())
if bad then
    return bad
end
return {it.set and 1 or 0, it.count}
