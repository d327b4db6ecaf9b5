-- Renews or gives up what is held, by one of its keys alone: the others may be at another node just now.
--
-- KEYS  the key
-- ARGV  1 what it has of a holder: 'owner' in a hash, 'end' of the lease or 'count' of permits in a sorted set, 'timer' of its
--       own; 2 the holder, as it is called there; 3 lease in ms, or 0 to give it up
-- reply {1 if the key has the holder, or 0}

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

function renew.owner()
    redis.call('PEXPIRE', key, longer(key, lease))
end

renew.count = renew.owner

-- Stays for longer than the other keys: there, who has no end is taken for another program's, or is never dropped.
renew['end'] = function()
    redis.call('ZADD', key, string.format('%.0f', math.max(tonumber(found), now + lease * 1000)), holder)
    redis.call('PEXPIRE', key, longer(key, lease + CLAIM_LIFE))
end

function renew.timer()
    redis.call('SET', key, '1', 'PX', longer(key, lease))
end

-- Is the last that is done, as a key that has gone is taken to be at the other node.
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
