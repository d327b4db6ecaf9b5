-- Runs the script behind it only if the token is not lower than the highest one that the guard has seen.
--
-- KEYS those of the script behind it, and one more: the guard ARGV those of the script behind it, and two more: token, time to
-- live of the guard in ms or 0 for no end reply the error HFFENCED with the highest token, if that is higher
--
-- A token is a text of 19 digits, and is compared as text, because a Lua number has 53 bits and a token has 63. The guard is
-- written before the rest, so nothing is ever written without it. The script behind it sees only its own keys and arguments.

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
