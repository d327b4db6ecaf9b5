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

-- The error to reply if the read of a key failed, or gave a text that is no number; else nil.
local function wrong(key, reply)
    local what
    if type(reply) == 'table' and reply.err then
        if string.find(reply.err, 'READONLY', 1, true) then
            return reply
        elseif not string.find(reply.err, 'WRONGTYPE', 1, true) then
            return redis.error_reply("HFREAD the key '" .. key .. "' cannot be used: " .. reply.err)
        end
        what = redis.call('TYPE', key).ok
    elseif type(reply) == 'string' and not tonumber(reply) then
        what = 'text'
    else
        return nil
    end
    return redis.error_reply("HFTYPE the key '" .. key .. "' is a " .. what
        .. ' and no part of a lock: something else uses it; rename the lock, or delete the key')
end

-- Units for tokens above the last ones given: a unit is a microsecond of the clock, so that they go on rising when the
-- key is lost. At most 10 ms ahead of the clock, so that they do so soon after.
local function draw(last, now, wanted)
    local first = math.max((tonumber(last) or 0) + 1, now)
    return first, math.max(1, math.min(wanted, now + 10000 - first))
end

local function keep(token, unit)
    redis.call('SET', token, string.format('%.0f', unit), 'PX', '604800000')
end

-- Draws units if any are wanted, and has all later ones above the floor, too; keeps what that changes. The first and how many.
local function draw_above(token, last, floor, wanted, now)
    local first, units = 0, 0
    local before = tonumber(last) or 0
    local highest = math.max(before, floor)
    if wanted > 0 then
        first, units = draw(highest, now, wanted)
        highest = first + units - 1
    end
    if highest > before then
        keep(token, highest)
    end
    return first, units
end

-- The lease to set for a tenure that has one: a late copy of a request must not shorten it.
local function longer(lock, lease)
    return math.max(redis.call('PTTL', lock), tonumber(lease))
end

-- The field that holds the lock.
local function owner(fields)
    return fields[1] or ''
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
