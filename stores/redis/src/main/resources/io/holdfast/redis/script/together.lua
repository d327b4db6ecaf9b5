-- Acquires several locks, each for a tenure, if every one of them is free or held by its tenure; otherwise none. Fair positions
-- of clients that do not listen are dropped, because no other script does so at a free lock.
--
-- KEYS  for each lock: lock, counter, queue, claim, floor, known, as for acquire
-- ARGV  for each lock: tenure, lease in ms, units wanted, time after which to refuse; then the prefix of inboxes
-- reply {0, now}                                            too late, all of them
--       {1, now} and for each lock, in their order, three more:
--       first unit, units, waiters                          granted, all of them
--       {2, now} and for each lock, in their order, two more:
--       lease left in ms or -1, holder or ''                refused, all of them; this one is in the way
--       0, ''                                               refused because of others

local now = clock()
local locks = {}
local free = true

-- The prefix of inboxes, which is that of all names.
local inboxes = ARGV[#ARGV]

-- Returns whether a fair position precedes this tenure at a free lock.
local function barred(each)
    return each.waiters > 0
        and fair_before(each.queue, each.known, redis.call('ZSCORE', each.queue, each.tenure) or 0, now)
end

-- Drops the fair positions among the first ones whose client does not listen.
local function drop_the_gone(each)
    for _, place in ipairs(redis.call('ZRANGE', each.queue, 0, MOST_SEEN - 1)) do
        if is_fair(place) and listeners(inboxes, place)[2] == 0 then
            each.waiters = each.waiters - leave(each.queue, each.known, place)
        end
    end
end

for i = 4, #ARGV, 4 do
    if now > tonumber(ARGV[i]) then
        return {0, now}
    end
end

for i = 1, #KEYS, 6 do
    local at = (i - 1) / 6 * 4
    local each = look_at_all(unpack(KEYS, i, i + 5))
    if each.bad then
        return each.bad
    end
    each.lock, each.queue, each.claim, each.known = KEYS[i], KEYS[i + 2], KEYS[i + 3], KEYS[i + 5]
    each.tenure, each.lease, each.wanted = ARGV[at + 1], ARGV[at + 2], tonumber(ARGV[at + 3])
    each.free = each.size == 0
    if each.free then
        each.barred = barred(each)
    elseif redis.call('HEXISTS', each.lock, each.tenure) == 0 then
        each.held = true
        if each.shared then
            return other_kind(each.lock)
        end
    end
    locks[#locks + 1] = each
end

for _, each in ipairs(locks) do
    if each.barred then
        drop_the_gone(each)
        each.barred = barred(each)
    end
    free = free and not each.held and not each.barred
end

local reply = {free and 1 or 2, now}
local function add(...)
    for _, value in ipairs({...}) do
        reply[#reply + 1] = value
    end
end

-- the highest unit drawn from the counter, which all locks share
local drawn = 0
for _, each in ipairs(locks) do
    if free then
        local first, units = draw(math.max(each.last, drawn), now, each.wanted)
        take(each.lock, each.token, each.claim, each.tenure, each.lease, each.free, first + units - 1)
        drawn = each.token.raised and drawn or first + units - 1
        add(first, units, each.waiters > 0 and each.waiters - leave(each.queue, each.known, each.tenure) or 0)
    elseif each.held then
        each.holder = each.fields[1]
        add(each.left, each.holder)
    else
        add(each.barred and CLAIM or 0, '')
    end
end
for _, each in ipairs(locks) do
    if each.holder and lingers(each.holder) and client(each.holder) ~= client(each.tenure) then
        tell(inboxes, each.holder, 'W ' .. each.lock)
    end
end
return reply
