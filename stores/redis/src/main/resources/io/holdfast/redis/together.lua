-- Takes several locks, each for a tenure, if every one of them is free or its tenure has it; else none.
--
-- KEYS  for each lock: lock, token, queue, claim, as for acquire
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

for i = 4, #ARGV, 4 do
    if now > tonumber(ARGV[i]) then
        return {0, now}
    end
end

for i = 1, #KEYS, 4 do
    local each = {lock = KEYS[i], token = KEYS[i + 1], queue = KEYS[i + 2], claim = KEYS[i + 3], tenure = ARGV[i],
        lease = ARGV[i + 1], wanted = tonumber(ARGV[i + 2])}
    local held = redis.pcall('HLEN', each.lock)
    each.last = redis.pcall('GET', each.token)
    each.waiters = redis.pcall('ZCARD', each.queue)
    local bad = wrong(each.lock, held) or wrong(each.token, each.last) or wrong(each.queue, each.waiters)
    if bad then
        return bad
    end
    each.free = held == 0
    if each.free then
        each.barred = each.waiters > 0
            and fair_before(each.queue, redis.call('ZSCORE', each.queue, each.tenure) or 0)
    elseif redis.call('HEXISTS', each.lock, each.tenure) == 0 then
        each.held = true
        bad = other_kind(each.lock)
        if bad then
            return bad
        end
    end
    free = free and not each.held and not each.barred
    locks[#locks + 1] = each
end

local reply = {free and 1 or 2, now}
local function add(...)
    for _, value in ipairs({...}) do
        reply[#reply + 1] = value
    end
end

for _, each in ipairs(locks) do
    if free then
        local first, units = draw(each.last, now, each.wanted)
        take(each.lock, each.token, each.claim, each.tenure, each.lease, each.free, first + units - 1)
        add(first, units, each.waiters > 0 and each.waiters - redis.call('ZREM', each.queue, each.tenure) or 0)
    elseif each.held then
        each.holder = owner(redis.call('HKEYS', each.lock))
        add(redis.call('PTTL', each.lock), each.holder)
    else
        add(each.barred and CLAIM or 0, '')
    end
end
for _, each in ipairs(locks) do
    if each.holder and lingers(each.holder) and client(each.holder) ~= client(each.tenure) then
        tell(ARGV[#ARGV], each.holder, 'W ' .. each.lock)
    end
end
return reply
