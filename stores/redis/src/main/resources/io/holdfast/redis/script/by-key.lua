-- Renews or releases a hold in one of its keys alone, because the other keys may be at another node at this moment.
--
-- KEYS  the key
-- ARGV  1 the part of the hold in the key: 'owner' in a hash, 'end' of the lease or 'count' of permits in a sorted set, or
--       'timer', the holder's own key; 2 the holder, as it is written there; 3 lease in ms, or 0 to release it
-- reply {1 if the key has the holder, or 0}; always 1 for a timer

local key, what, holder, lease = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3])
local now = clock()

local found, bad
if what == 'owner' then
    bad = look(key).bad
    found = bad or redis.call('HEXISTS', key, holder)
elseif what == 'timer' then
    bad = wrong(key, redis.pcall('GET', key), is_timer)
    found = 1
else
    bad = wrong(key, redis.pcall('ZRANGE', key, 0, 0), is_holder)
    found = bad or redis.call('ZSCORE', key, holder)
end
if bad then
    return bad
end
if not found or found == 0 or what == 'end' and tonumber(found) <= now then
    return {0}
end

local renew, release = {}, {}

-- PEXPIRE is the first write of each renewal: a full server allows it, and then the rest.

function renew.owner()
    redis.call('PEXPIRE', key, longer(key, lease))
end

-- The count of an assigned holder is below zero until the holder is heard of. If it stayed so, the end of the lease would count
-- as a lapsed claim, and the client as absent.
function renew.count()
    redis.call('PEXPIRE', key, longer(key, lease))
    redis.call('ZADD', key, math.abs(tonumber(found)), holder)
end

-- This key lives longer than the others. In those, a holder without an end is taken for one of another program, or is never
-- dropped.
renew['end'] = function()
    redis.call('PEXPIRE', key, longer(key, lease + CLAIM_LIFE))
    redis.call('ZADD', key, string.format('%.0f', math.max(tonumber(found), now + lease * 1000)), holder)
end

function renew.timer()
    redis.call('PEXPIRE', key, longer(key, lease))
    redis.call('SET', key, '1', 'PX', longer(key, lease))
end

-- The removal comes last, because a key that no longer exists here is taken to be at the other node.
function release.owner()
    redis.call('HDEL', key, holder)
end

function release.count()
    take_away(key, holder, tonumber(found))
end

release['end'] = function()
    redis.call('ZREM', key, holder)
end

function release.timer()
    redis.call('DEL', key)
end

local way = lease > 0 and renew or release
way[what]()
return {1}
