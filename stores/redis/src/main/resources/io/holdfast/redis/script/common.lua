-- The functions that all scripts share. This part precedes each of them.
--
-- Invariants:
-- 1. A script checks the types of its keys and reads all it needs before it writes. So an error of its own (HFTYPE, HFREAD)
--    means that nothing was written.
-- 2. It decides by the server's clock alone.
-- 3. It sends messages after all checks. If a message cannot be sent, the script does not fail.
-- 4. A lease is never shortened, so that a late duplicate of a shorter renewal does no harm.
--
-- Numbers are stored as text of '%.0f', because Lua rounds large numbers when it prints them. No reply of three or four
-- elements begins with a text of somebody else, because the driver would take it for a message.

-- Returns the time in microseconds. It is exact in a Lua number until the year 2255.
local function clock()
    local time = redis.call('TIME')
    return time[1] * 1000000 + time[2]
end

-- Returns the error for a key that belongs to another program.
local function foreign(key)
    return redis.error_reply("HFTYPE the key '" .. key .. "' is not a key of Holdfast: another program keeps a "
        .. redis.call('TYPE', key).ok .. ' there; choose another name, or set keyPrefix')
end

-- Returns the error if the read of a key failed, or if its text or first member does not have our form; otherwise nil.
local function wrong(key, reply, is_ours)
    if type(reply) == 'table' and reply.err then
        if string.find(reply.err, 'READONLY', 1, true) then
            return reply
        elseif not string.find(reply.err, 'WRONGTYPE', 1, true) then
            return redis.error_reply("HFREAD the key '" .. key .. "' cannot be used: " .. reply.err)
        end
        return foreign(key)
    end
    local text = type(reply) == 'table' and reply[1] or reply
    return is_ours and type(text) == 'string' and not is_ours(text) and foreign(key) or nil
end

-- Returns whether the text is a count, exact in a Lua number.
local function is_number(text)
    return string.find(text, '^%d+$') and tonumber(text) < 9007199254740992
end

-- Returns the tenure in a field of a lock.
local function tenure_of(owner)
    return (string.gsub(owner, ':write$', ''))
end

-- Returns whether the text is a tenure. A mark of a position, or the id of a change, may precede it; the ending of an owner may
-- follow.
local function is_tenure(text)
    return string.find(tenure_of(text), '.:%-?%d+$')
end

-- Returns whether the text is a member of a semaphore's sets: a tenure, a position, a change, or the sum.
local function is_holder(text)
    return text == '=' or is_tenure(text)
end

-- Returns whether the text is the value of a reader's timer, which is the same for Redisson.
local function is_timer(text)
    return text == '1'
end

-- The number of fields above which only some of them are checked.
local PAGE = 128

-- Reads the hash at a raw name: the number of fields, some fields with their values, the mode, and the time to live. 'bad' is
-- the error if neither this library nor Redisson wrote it. In both, an owner is a tenure with a count. A lock without a mode
-- has one owner, and every hash has a time to live.
local function look(lock)
    local it = {size = redis.pcall('HLEN', lock)}
    it.bad = wrong(lock, it.size)
    if it.bad or it.size == 0 then
        return it
    end
    it.fields = it.size > PAGE and redis.call('HSCAN', lock, 0, 'COUNT', PAGE)[2] or redis.call('HGETALL', lock)
    it.mode = redis.call('HGET', lock, 'mode')
    it.left = redis.call('PTTL', lock)
    it.shared = it.mode == 'read' or it.mode == 'write'
    local ours = it.left ~= -1 and (it.shared or it.size == 1)
    for i = 1, #it.fields, 2 do
        ours = ours and (it.shared and it.fields[i] == 'mode'
            or is_tenure(it.fields[i]) and string.find(it.fields[i + 1], '^%d+$'))
    end
    it.bad = not ours and foreign(lock) or nil
    return it
end

-- Returns the error if the queue of a lock cannot be used; otherwise nil.
local function wrong_queue(queue, waiters)
    return wrong(queue, waiters) or waiters > 0 and wrong(queue, redis.call('ZRANGE', queue, 0, 0), is_tenure) or nil
end

-- Returns the error if what is known about a queue (see serve) cannot be used; otherwise nil. It must be a hash of numbers with
-- a time to live.
local function wrong_known(known)
    local size = redis.pcall('HLEN', known)
    if type(size) == 'table' or size == 0 then
        return wrong(known, size)
    end
    local some = redis.call('HSCAN', known, 0, 'COUNT', 8)[2]
    local ours = redis.call('PTTL', known) ~= -1
    for i = 1, #some, 2 do
        ours = ours and (string.find(some[i], '^[!-]') or is_tenure(some[i])) and is_number(some[i + 1])
    end
    return not ours and foreign(known) or nil
end

-- Returns the error if a lock has fields beside that of the asking tenure, which must be its only owner; otherwise nil.
local function crowded(lock)
    return redis.call('HLEN', lock) ~= 1 and foreign(lock) or nil
end

-- Drops the members up to that score, at most 200; the next script drops more. The empty member never exists. With it, ZREM is
-- always run. A full server allows it, and then allows the rest of the script:
-- https://redis.io/docs/latest/develop/programmability/eval-intro/
local function drop_upto(key, score)
    local some = redis.call('ZRANGEBYSCORE', key, '-inf', string.format('%.0f', score), 'LIMIT', 0, 200)
    redis.call('ZREM', key, '', unpack(some))
end

-- Returns the first of the new token units, and how many there are. A unit is a microsecond of the clock, so units continue to
-- rise if the counter is lost. A block ends at most 10 ms ahead of the clock, but has at least one unit.
local function draw(last, now, wanted)
    local first = math.max((tonumber(last) or 0) + 1, now)
    return first, math.max(1, math.min(wanted, now + 10000 - first))
end

-- Reads the counter of all names and the floor of this one, which applies while it is above the counter. Returns the error if
-- one cannot be used. Otherwise returns nil, where the units are counted, and the highest unit given.
local function units_of(counter, floor)
    local last, least = redis.pcall('GET', counter), floor and redis.pcall('GET', floor)
    local bad = wrong(counter, last, is_number) or wrong(floor, least, is_number)
    if bad then
        return bad
    end
    last, least = tonumber(last) or 0, tonumber(least) or 0
    return nil, {counter = counter, floor = floor, raised = least > last}, math.max(last, least)
end

-- Writes a floor. It expires when the clock has passed it, because it is no longer needed then.
local function keep_floor(token, unit)
    redis.call('SET', token.floor, string.format('%.0f', unit))
    redis.call('PEXPIREAT', token.floor, string.format('%.0f', math.ceil(unit / 1000) + 1))
end

-- Writes the highest unit given.
local function keep(token, unit)
    if token.raised then
        keep_floor(token, unit)
    else
        redis.call('SET', token.counter, string.format('%.0f', unit))
    end
end

-- Reads a lock and its other keys, with the number of waiters, and the highest unit given unless 'counter' is nil. 'bad' is the
-- error if one cannot be used.
local function look_at_all(lock, counter, queue, claim, floor, known)
    local it, bad = look(lock), nil
    if counter then
        bad, it.token, it.last = units_of(counter, floor)
    end
    it.waiters = redis.pcall('ZCARD', queue)
    it.bad = it.bad or bad or wrong_queue(queue, it.waiters)
        or claim and wrong(claim, redis.pcall('GET', claim), is_tenure)
        or known and wrong_known(known)
    return it
end

-- Draws units if any are wanted, and keeps all later ones of the name above the given unit. Returns the first unit, and how
-- many there are.
local function draw_above(token, last, above, wanted, now)
    token.raised = token.raised or above > last and above >= now
    local first, units = 0, 0
    local highest = token.raised and math.max(last, above) or last
    if wanted > 0 then
        first, units = draw(highest, now, wanted)
        highest = first + units - 1
    end
    if highest > last then
        keep(token, highest)
    end
    return first, units
end

-- Returns the lease to set for a tenure that has one. A late duplicate must not shorten it.
local function longer(lock, lease)
    return math.max(redis.call('PTTL', lock), tonumber(lease))
end

-- Returns the client of a tenure, or of a position.
local function client(tenure)
    return string.match(tenure, '^[!<]?(.*):') or ''
end

-- Returns whether the tenure may linger. The number of such a tenure is below zero.
local function lingers(tenure)
    return string.find(tenure, ':-', 1, true) ~= nil
end

-- Returns whether the inboxes belong to one slot. A tag in their name says so.
local function sharded(inboxes)
    return string.sub(inboxes, 1, 4) == 'hf:{'
end

-- Sends a message to a client's inbox. Returns the number of receivers; nil if it could not be sent.
local function send(inboxes, to, message)
    local heard = redis.pcall(sharded(inboxes) and 'SPUBLISH' or 'PUBLISH', inboxes .. to, message)
    return type(heard) == 'number' and heard or nil
end

-- Sends a message to the client of a tenure.
local function tell(inboxes, tenure, message)
    return send(inboxes, client(tenure), message)
end

-- Returns the inbox of a tenure's client and its number of listeners. The second element is nil if this user may not ask.
local function listeners(inboxes, tenure)
    return redis.pcall('PUBSUB', sharded(inboxes) and 'SHARDNUMSUB' or 'NUMSUB', inboxes .. client(tenure))
end
