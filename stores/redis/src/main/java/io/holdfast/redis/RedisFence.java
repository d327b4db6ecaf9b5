package io.holdfast.redis;

import io.holdfast.FencedOutException;
import io.holdfast.redis.script.KeyLayout;
import io.holdfast.redis.script.Script;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisScriptingCommands;
import io.lettuce.core.codec.Base16;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Writes to keys of Redis that refuse an old fencing token: what protects data from a holder that was paused for longer than
 * its lease, and goes on.
 *
 * <pre>{@code
 * RedisFence fence = RedisFence.of(connection.sync());   // a connection of yours, standalone or cluster
 * try (Lease lease = lock.acquire()) {
 *     fence.set("orders:42", lease.token(), "shipped");  // throws if a newer holder has written
 * }
 * }</pre>
 *
 * <p>Every write compares its token with the highest one that the key has seen, in one script with the write itself: a lower
 * one is refused with {@link FencedOutException}, and nothing is written; the same or a higher one is written and
 * remembered. A write may be repeated with its token, for example after a timeout. This protects the key from those alone
 * that write through a fence, and only if one lock protects it: tokens of different locks cannot be compared.
 *
 * <p><strong>The guard.</strong> The highest token is kept beside the key, in the same slot of a cluster, as 19 digits under
 * {@link #guardKey}. It stays when the key is deleted or expires, and is never deleted unless a {@link #withGuardLife life}
 * was chosen. It is remembered also if the write behind it fails, for example for a wrong type. It must not be evicted: set
 * {@code maxmemory-policy noeviction}, or a policy that spares keys without a life.
 *
 * <p>Each call is one command on the caller's connection, two when the server has forgotten the script, and throws what
 * that connection throws, when it is interrupted, timed out or without a server, too. Not for use between MULTI and EXEC,
 * where a refusal would be but one of the replies of EXEC: put what belongs together into one script, see {@link #eval}.
 * Safe for use by any thread.
 */
public final class RedisFence {

    private static final String GUARD = Script.read("fence");
    private static final Duration LONGEST = Duration.ofDays(36_500);
    private static final String REFUSED = "HFFENCED ";
    private static final String COMMAND = "return redis.call(ARGV[1], KEYS[1], unpack(ARGV, 2))";

    private static final int MOST_FIELDS = 100_000;

    /** Lua passes some thousands of arguments to a function at most; an even number keeps each field with its value. */
    private static final String FIELDS = """
            local count = 0
            for i = 2, #ARGV, 1000 do
                count = count + redis.call(ARGV[1], KEYS[1], unpack(ARGV, i, math.min(i + 999, #ARGV)))
            end
            return count""";

    private final RedisScriptingCommands<String, String> redis;
    private final long guardMillis;

    private RedisFence(RedisScriptingCommands<String, String> redis, long guardMillis) {
        this.redis = redis;
        this.guardMillis = guardMillis;
    }

    /** A fence that writes by these commands, and remembers tokens for ever. No call. */
    public static RedisFence of(RedisScriptingCommands<String, String> redis) {
        return new RedisFence(redis, 0);
    }

    /**
     * The same, with guards that expire so long after the last write, so that keys which are not used any more leave
     * nothing. A holder that was paused for longer than that is <em>not</em> refused: choose days, not minutes.
     *
     * @param life 1 ms to 36500 days
     * @throws IllegalArgumentException if it is out of that range
     */
    public RedisFence withGuardLife(Duration life) {
        return new RedisFence(redis, millis("guard life", life));
    }

    /** The key that remembers the highest token for this key. */
    public static String guardKey(String key) {
        return KeyLayout.guard(key);
    }

    /**
     * Sets the key to a value without expiry.
     *
     * @param token of the hold under which it is written, above zero
     * @throws FencedOutException if a higher token has been there
     * @throws IllegalArgumentException if the token is not above zero
     */
    public void set(String key, long token, String value) {
        command(key, token, ScriptOutputType.STATUS, Stream.of("SET", value));
    }

    /**
     * Sets the key to a value that expires. Its guard does not: what is written after the expiry is compared, too.
     *
     * @param token of the hold under which it is written, above zero
     * @param expiry 1 ms to 36500 days
     * @throws FencedOutException if a higher token has been there
     * @throws IllegalArgumentException if the token is not above zero, or the expiry out of range
     */
    public void set(String key, long token, String value, Duration expiry) {
        String millis = Long.toString(millis("key '" + key + "': expiry", expiry));
        command(key, token, ScriptOutputType.STATUS, Stream.of("SET", value, "PX", millis));
    }

    /**
     * Sets fields of a hash; returns how many of them are new.
     *
     * @param token of the hold under which it is written, above zero
     * @throws FencedOutException if a higher token has been there
     * @throws IllegalArgumentException if the token is not above zero, or there is no field or more than 100 000
     */
    public long hset(String key, long token, Map<String, String> fields) {
        requireFields(key, fields.size());
        Stream<String> pairs = fields.entrySet().stream().flatMap(field -> Stream.of(field.getKey(), field.getValue()));
        return fields(key, token, Stream.concat(Stream.of("HSET"), pairs));
    }

    /**
     * Deletes fields of a hash; returns how many were there.
     *
     * @param token of the hold under which it is written, above zero
     * @throws FencedOutException if a higher token has been there
     * @throws IllegalArgumentException if the token is not above zero, or there is no field or more than 100 000
     */
    public long hdel(String key, long token, String... fields) {
        requireFields(key, fields.length);
        return fields(key, token, Stream.concat(Stream.of("HDEL"), Stream.of(fields)));
    }

    private long fields(String key, long token, Stream<String> words) {
        return this.<Long>eval(key, token, FIELDS, ScriptOutputType.INTEGER, List.of(), words.toArray(String[]::new));
    }

    /**
     * Deletes the key; returns whether it was there. Its guard stays.
     *
     * @param token of the hold under which it is deleted, above zero
     * @throws FencedOutException if a higher token has been there
     * @throws IllegalArgumentException if the token is not above zero
     */
    public boolean del(String key, long token) {
        return this.<Long>command(key, token, ScriptOutputType.INTEGER, Stream.of("DEL")) == 1;
    }

    /**
     * Writes nothing, but lets no lower token write from now on: to be called before the key is read, so that what was read
     * can't be changed by an old holder any more.
     *
     * @param token of the hold, above zero
     * @throws FencedOutException if a higher token has been there
     * @throws IllegalArgumentException if the token is not above zero
     */
    public void raise(String key, long token) {
        eval(key, token, "return 1", ScriptOutputType.INTEGER, List.of());
    }

    /**
     * Runs a Lua script of yours only if the token is not lower than the highest that the key has seen.
     *
     * <p>The script is put behind the check, and both are done in one step. It sees in KEYS the key and the others, in
     * ARGV its arguments, and may do what any script may. It has no first line with {@code #!}.
     *
     * @param key the key that is protected: the first of KEYS
     * @param token of the hold under which it is run, above zero
     * @param output what the script returns, as Lettuce is to read it
     * @param otherKeys further keys that the script uses; in a cluster, of the same slot
     * @return what the script returns
     * @throws FencedOutException if a higher token has been there; the script was not run
     * @throws IllegalArgumentException if the token is not above zero
     */
    @SuppressWarnings("TypeParameterUnusedInFormals")
    public <T> T eval(
            String key,
            long token,
            String script,
            ScriptOutputType output,
            List<String> otherKeys,
            String... arguments) {
        requireToken(key, token);
        List<String> keys = new ArrayList<>(List.of(key));
        keys.addAll(otherKeys);
        keys.add(guardKey(key));
        List<String> values = new ArrayList<>(List.of(arguments));
        values.add(digits(token));
        values.add(Long.toString(guardMillis));
        try {
            return run(GUARD + script, output, keys.toArray(String[]::new), values.toArray(String[]::new));
        } catch (RedisCommandExecutionException e) {
            throw refusal(key, token, e);
        }
    }

    @SuppressWarnings("TypeParameterUnusedInFormals")
    private <T> T command(String key, long token, ScriptOutputType output, Stream<String> words) {
        return this.<T>eval(key, token, COMMAND, output, List.of(), words.toArray(String[]::new));
    }

    /** Also if the server has forgotten the script. */
    @SuppressWarnings("TypeParameterUnusedInFormals")
    private <T> T run(String text, ScriptOutputType output, String[] keys, String[] values) {
        String digest = Base16.digest(text.getBytes(StandardCharsets.UTF_8));
        try {
            return redis.evalsha(digest, output, keys, values);
        } catch (RedisNoScriptException e) {
            return redis.eval(text, output, keys, values);
        }
    }

    private static RuntimeException refusal(String key, long token, RedisCommandExecutionException answer) {
        String text = String.valueOf(answer.getMessage());
        return text.startsWith(REFUSED)
                ? new FencedOutException(
                        key,
                        token,
                        Long.parseLong(text.substring(REFUSED.length()).trim()))
                : answer;
    }

    /** Of one width, so that texts are in the order of their numbers. */
    private static String digits(long token) {
        return String.format(Locale.ROOT, "%019d", token);
    }

    private static void requireToken(String key, long token) {
        if (token <= 0) {
            throw new IllegalArgumentException("key '" + key + "': token " + token
                    + " is not above zero: pass the fencing token of a hold");
        }
    }

    private static void requireFields(String key, int count) {
        if (count == 0) {
            throw new IllegalArgumentException("key '" + key + "': no fields: pass at least one");
        }
        if (count > MOST_FIELDS) {
            throw new IllegalArgumentException(
                    "key '" + key + "': " + count + " fields in one call are too many: pass at" + " most " + MOST_FIELDS
                            + ", because the server does nothing else during the call");
        }
    }

    private static long millis(String what, Duration time) {
        if (time.compareTo(Duration.ofMillis(1)) < 0 || time.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(what + " " + time + " is out of range: 1 ms to 36500 days");
        }
        return time.toMillis();
    }
}
