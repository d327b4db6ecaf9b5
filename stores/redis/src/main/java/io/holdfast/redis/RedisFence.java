package io.holdfast.redis;

import static io.holdfast.spi.Names.quoted;

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
 * Writes to keys of Redis that refuse an old fencing token. They protect data from a holder that was paused for longer than its
 * lease and then continues.
 *
 * <pre>{@code
 * RedisFence fence = RedisFence.of(connection.sync());   // your own connection, standalone or cluster
 * try (Lease lease = lock.acquire()) {
 *     fence.set("orders:42", lease.fencingToken(), "shipped");  // throws if a newer holder has written
 * }
 * }</pre>
 *
 * <p>Every write compares its token with the highest one that the key has seen, in one script with the write itself. A lower
 * token is refused with {@link FencedOutException}, and nothing is written. The same or a higher token is remembered, and the
 * write is done. A write may be repeated with its token, for example after a timeout. This protects the key only from clients
 * that write through a fence. It works only if one lock protects the key, because tokens of different locks cannot be compared.
 *
 * <p><strong>The guard.</strong> The highest token is kept beside the key, in the same slot of a cluster, as 19 digits under
 * {@link #guardKey}. It stays when the key is deleted or expires. It has no time to live, unless {@link #withGuardLife} sets
 * one. The token is remembered even if the write behind it fails, for example because of a wrong type. The guard must not be
 * evicted. Set {@code maxmemory-policy noeviction}, or a policy that spares keys without a time to live. Such a policy does not
 * spare a guard that has a time to live.
 *
 * <p>Each call is one command on your connection, or two if the server has forgotten the script. It throws whatever the
 * connection throws, for example when it is interrupted, timed out or disconnected. Do not use it between MULTI and EXEC,
 * because a refusal would only be one of the replies of EXEC. Put writes that belong together into one script, see {@link
 * #eval}. A fence is safe for use by multiple threads.
 *
 * <p>See Martin Kleppmann, <a href="https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html">How to do
 * distributed locking</a>, on fencing tokens.
 */
public final class RedisFence {

    private static final String GUARD = Script.read("fence");
    private static final Duration LONGEST = Duration.ofDays(36_500);
    private static final String REFUSED = "HFFENCED ";
    private static final String COMMAND = "return redis.call(ARGV[1], KEYS[1], unpack(ARGV, 2))";

    private static final int MOST_FIELDS = 100_000;

    /** Lua passes only some thousands of arguments to a function. An even number per call keeps each field with its value. */
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

    /** Returns a fence that writes through these commands, and remembers tokens forever. Makes no call. */
    public static RedisFence of(RedisScriptingCommands<String, String> redis) {
        return new RedisFence(redis, 0);
    }

    /**
     * Returns a fence whose guards expire after the last write, so that unused keys leave nothing behind. A holder that was
     * paused for longer than that is <em>not</em> refused: choose days, not minutes.
     *
     * @param life the time to live of the guard after each write, 1 ms to 36500 days
     * @throws IllegalArgumentException if it is out of that range
     */
    public RedisFence withGuardLife(Duration life) {
        return new RedisFence(redis, millis("guard life", life));
    }

    /** Returns the key that remembers the highest token of the given key. */
    public static String guardKey(String key) {
        return KeyLayout.guard(key);
    }

    /**
     * Sets the key to a value without expiry.
     *
     * @param token the token of the hold that protects the write, above zero
     * @throws FencedOutException if the key has seen a higher token
     * @throws IllegalArgumentException if the token is not above zero
     */
    public void set(String key, long token, String value) {
        command(key, token, ScriptOutputType.STATUS, Stream.of("SET", value));
    }

    /**
     * Sets the key to a value that expires. Its guard does not, so a write after the expiry is compared as well.
     *
     * @param token the token of the hold that protects the write, above zero
     * @param expiry 1 ms to 36500 days
     * @throws FencedOutException if the key has seen a higher token
     * @throws IllegalArgumentException if the token is not above zero, or the expiry is out of range
     */
    public void set(String key, long token, String value, Duration expiry) {
        String millis = Long.toString(millis("key " + quoted(key) + ": expiry", expiry));
        command(key, token, ScriptOutputType.STATUS, Stream.of("SET", value, "PX", millis));
    }

    /**
     * Sets fields of a hash, and returns the number of new fields.
     *
     * @param token the token of the hold that protects the write, above zero
     * @throws FencedOutException if the key has seen a higher token
     * @throws IllegalArgumentException if the token is not above zero, or there are no fields or more than 100 000
     */
    public long hset(String key, long token, Map<String, String> fields) {
        requireFields(key, fields.size());
        Stream<String> pairs = fields.entrySet().stream().flatMap(field -> Stream.of(field.getKey(), field.getValue()));
        return fields(key, token, Stream.concat(Stream.of("HSET"), pairs));
    }

    /**
     * Deletes fields of a hash, and returns how many of them existed.
     *
     * @param token the token of the hold that protects the write, above zero
     * @throws FencedOutException if the key has seen a higher token
     * @throws IllegalArgumentException if the token is not above zero, or there are no fields or more than 100 000
     */
    public long hdel(String key, long token, String... fields) {
        requireFields(key, fields.length);
        return fields(key, token, Stream.concat(Stream.of("HDEL"), Stream.of(fields)));
    }

    private long fields(String key, long token, Stream<String> words) {
        return this.<Long>eval(key, token, FIELDS, ScriptOutputType.INTEGER, List.of(), words.toArray(String[]::new));
    }

    /**
     * Deletes the key, and returns whether it existed. Its guard stays.
     *
     * @param token the token of the hold that protects the deletion, above zero
     * @throws FencedOutException if the key has seen a higher token
     * @throws IllegalArgumentException if the token is not above zero
     */
    public boolean del(String key, long token) {
        return this.<Long>command(key, token, ScriptOutputType.INTEGER, Stream.of("DEL")) == 1;
    }

    /**
     * Refuses every lower token from now on, without writing to the key. Call it before the key is read. Then an old holder can
     * no longer change what was read.
     *
     * @param token the token of the hold, above zero
     * @throws FencedOutException if the key has seen a higher token
     * @throws IllegalArgumentException if the token is not above zero
     */
    public void raise(String key, long token) {
        eval(key, token, "return 1", ScriptOutputType.INTEGER, List.of());
    }

    /**
     * Runs a Lua script of yours, unless the key has seen a higher token.
     *
     * <p>The script is put behind the check, and both run in one step. Its KEYS are the key and the other keys, and its ARGV
     * are the arguments. It may do what any script may. It must not begin with a line of {@code #!}.
     *
     * @param key the protected key: the first of KEYS
     * @param token the token of the hold that protects the write, above zero
     * @param output the type of the script's result, for Lettuce
     * @param otherKeys further keys that the script uses; in a cluster, of the same slot
     * @return the result of the script
     * @throws FencedOutException if the key has seen a higher token; the script was not run
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

    /** Runs the script by its digest, and by its text if the server has forgotten it. */
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

    /** Returns the token in a fixed width, so that the order of texts is that of numbers. */
    private static String digits(long token) {
        return String.format(Locale.ROOT, "%019d", token);
    }

    private static void requireToken(String key, long token) {
        if (token <= 0) {
            throw new IllegalArgumentException(
                    "key " + quoted(key) + ": token " + token + " is not above zero: pass the fencing token of a hold");
        }
    }

    private static void requireFields(String key, int count) {
        if (count == 0) {
            throw new IllegalArgumentException("key " + quoted(key) + ": no fields: pass at least one");
        }
        if (count > MOST_FIELDS) {
            throw new IllegalArgumentException(
                    "key " + quoted(key) + ": " + count + " fields in one call are too many: pass at" + " most "
                            + MOST_FIELDS + ", because the server does nothing else during the call");
        }
    }

    private static long millis(String what, Duration time) {
        if (time.compareTo(Duration.ofMillis(1)) < 0 || time.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(what + " " + time + " is out of range: 1 ms to 36500 days");
        }
        return time.toMillis();
    }
}
