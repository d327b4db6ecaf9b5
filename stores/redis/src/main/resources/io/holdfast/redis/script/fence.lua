-- Lets what is put behind this run only if its token is not below the highest that its guard has seen.
--
-- KEYS  those of what is behind, and one more: the guard
-- ARGV  those of what is behind, and two more: token, life of the guard in ms or 0 for ever
-- reply the error HFFENCED with the highest token, if that is higher
--
-- A token is a text of 19 digits, and compared as such: a Lua number has 53 bits, a token 63. The guard is set before the
-- rest, so that nothing is ever written without it. What is behind sees its own keys and arguments only.

do
    local life = table.remove(ARGV)
    local token = table.remove(ARGV)
    local guard = table.remove(KEYS)
    local highest = redis.pcall('GET', guard)
    local failed = type(highest) == 'table' and highest.err
    if failed and not string.find(failed, 'WRONGTYPE', 1, true) then
        return highest
    elseif failed or (highest and not string.find(highest, '^' .. string.rep('%d', 19) .. '$')) then
        return redis.error_reply("HFTYPE the key '" .. guard
            .. "' holds no token: another program uses it; let that program use another name")
    end
    if highest and token < highest then
        return redis.error_reply('HFFENCED ' .. highest)
    end
    if life == '0' then
        redis.call('SET', guard, token)
    else
        redis.call('SET', guard, token, 'PX', life)
    end
end
