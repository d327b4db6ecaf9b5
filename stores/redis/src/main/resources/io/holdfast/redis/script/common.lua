-- What the scripts share; put before each of them.
--
-- Every script checks the types of its keys and reads all it needs before it writes, so that an error of its own,
-- HFTYPE or HFREAD, means that nothing was done. It decides by the server's clock alone. Numbers are kept as text of
-- '%.0f': Lua would round what it prints by itself. No reply has three or four elements with a text of somebody else
-- first, which the driver would take for a message. Messages are sent last, and may fail without failing the script.

-- Microseconds; exact in a Lua number until the year 2255.
local function clock()
    local time = redis.call('TIME')
    return time[1] * 1000000 + time[2]
end

-- The error to reply where another program has a key.
local function foreign(key)
    return redis.error_reply("HFTYPE the key '" .. key .. "' is not a key of Holdfast: another program keeps a "
        .. redis.call('TYPE', key).ok .. ' there; choose another name, or set keyPrefix')
end

-- The error to reply if the read of a key failed, or the text or the first member that it gave has not our form; else nil.
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

-- A count, exact in a Lua number.
local function is_number(text)
    return string.find(text, '^%d+$') and tonumber(text) < 9007199254740992
end

-- The tenure that a field of a lock is of.
local function tenure_of(owner)
    return (string.gsub(string.gsub(owner, ':write$', ''), ':upgrade$', ''))
end

-- A tenure, with what may be before or behind it: a place, an owner, the id of a change.
local function is_tenure(text)
    return string.find(tenure_of(text), '.:%-?%d+$')
end

-- What is in the sets of semaphores: tenures, places, changes, and the sum.
local function is_holder(text)
    return text == '=' or is_tenure(text)
end

-- What the timer of a reader is set to, here and by Redisson.
local function is_timer(text)
    return text == '1'
end

-- Of more fields than these a look takes some.
local PAGE = 128

-- The hash at a raw name: how many fields it has, some with their values, its mode, and its time to live. 'bad' is the error to
-- reply if neither this library nor Redisson wrote it: an owner is a tenure with a count, a lock without a mode has one, and all
-- have an end.
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

-- The error to reply if what waits for a lock cannot be used; else nil.
local function wrong_queue(queue, waiters)
    return wrong(queue, waiters) or waiters > 0 and wrong(queue, redis.call('ZRANGE', queue, 0, 0), is_tenure) or nil
end

-- The error to reply if the hash of what is known about a queue, see serve, cannot be used: it has a number for each of its
-- fields, and an end; else nil.
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

-- The error to reply if a lock that the asking tenure has, alone then, has other fields as well; else nil.
local function crowded(lock)
    return redis.call('HLEN', lock) ~= 1 and foreign(lock) or nil
end

-- Drops what is not above that score from a sorted set, many at most: the next script drops more. The empty member is never
-- there. It makes the first command of a script one that a full server allows.
local function drop_upto(key, score)
    local some = redis.call('ZRANGEBYSCORE', key, '-inf', string.format('%.0f', score), 'LIMIT', 0, 200)
    redis.call('ZREM', key, '', unpack(some))
end

-- Units for tokens above the last ones given: a unit is a microsecond of the clock, so that they go on rising when the
-- counter is lost. At most 10 ms ahead of the clock, so that they do so soon after.
local function draw(last, now, wanted)
    local first = math.max((tonumber(last) or 0) + 1, now)
    return first, math.max(1, math.min(wanted, now + 10000 - first))
end

-- Where the units of a name are counted: in the counter of all names, or in the floor of this one, which is there while it is
-- above the counter. The error to reply if one cannot be used; else nil, where, and the highest unit that was given.
local function units_of(counter, floor)
    local last, least = redis.pcall('GET', counter), floor and redis.pcall('GET', floor)
    local bad = wrong(counter, last, is_number) or wrong(floor, least, is_number)
    if bad then
        return bad
    end
    last, least = tonumber(last) or 0, tonumber(least) or 0
    return nil, {counter = counter, floor = floor, raised = least > last}, math.max(last, least)
end

-- The clock makes a floor needless when it has passed it.
local function keep_floor(token, unit)
    redis.call('SET', token.floor, string.format('%.0f', unit))
    redis.call('PEXPIREAT', token.floor, string.format('%.0f', math.ceil(unit / 1000) + 1))
end

-- Keeps the highest unit given.
local function keep(token, unit)
    if token.raised then
        keep_floor(token, unit)
    else
        redis.call('SET', token.counter, string.format('%.0f', unit))
    end
end

-- The same of a lock and its other keys: with the highest unit given and the number of waiters.
local function look_at_all(lock, counter, queue, claim, floor, known)
    local it, bad = look(lock), nil
    bad, it.token, it.last = units_of(counter, floor)
    it.waiters = redis.pcall('ZCARD', queue)
    it.bad = it.bad or bad or wrong_queue(queue, it.waiters)
        or claim and wrong(claim, redis.pcall('GET', claim), is_tenure)
        or known and wrong_known(known)
    return it
end

-- Draws units if any are wanted, and has all later ones of the name above that one, too. The first and how many.
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

-- The lease to set for a tenure that has one: a late copy of a request must not shorten it.
local function longer(lock, lease)
    return math.max(redis.call('PTTL', lock), tonumber(lease))
end

-- The client of a tenure; also of a place, which it does not differ from but in a mark.
local function client(tenure)
    return string.match(tenure, '^[!<^]?(.*):') or ''
end

-- Whether the client of a tenure may keep it though nobody owns it: its number is below zero.
local function lingers(tenure)
    return string.find(tenure, ':-', 1, true) ~= nil
end

-- Whether these inboxes are of a slot alone, which is told by the tag in them.
local function sharded(inboxes)
    return string.sub(inboxes, 1, 4) == 'hf:{'
end

-- Sends to the inbox of a client. The number of receivers, or nil if it could not be sent.
local function send(inboxes, to, message)
    local heard = redis.pcall(sharded(inboxes) and 'SPUBLISH' or 'PUBLISH', inboxes .. to, message)
    return type(heard) == 'number' and heard or nil
end

-- The same, of a tenure's.
local function tell(inboxes, tenure, message)
    return send(inboxes, client(tenure), message)
end

-- Who listens to the inbox of a tenure's client: the channel and the number; something else where that cannot be told.
local function listeners(inboxes, tenure)
    return redis.pcall('PUBSUB', sharded(inboxes) and 'SHARDNUMSUB' or 'NUMSUB', inboxes .. client(tenure))
end
