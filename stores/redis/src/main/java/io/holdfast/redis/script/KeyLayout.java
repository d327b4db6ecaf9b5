package io.holdfast.redis.script;

import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.TenureId;
import io.lettuce.core.cluster.SlotHash;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The names of the keys and channels in the server.
 *
 * <p>The lock is a hash at its raw name, as in other lock libraries. The timer of a reader has the name that Redisson looks
 * for. All other names begin with {@code hf:}:
 *
 * <ul>
 *   <li>{@code hf:{}:t:PREFIX}: the highest token unit given to any name with that prefix. In a cluster, there is one for
 *       each slot, {@code hf:{slot}:t:PREFIX}
 *   <li>{@code hf:{tag}:tf:NAME}: the floor of the name's token units, until the clock has passed it
 *   <li>{@code hf:{tag}:q:NAME}: the waiting tenures by arrival, until the queue is empty or was not refreshed for 60 s
 *   <li>{@code hf:{tag}:s:NAME}: facts about the queue, see {@code serve.lua}; it lives as long as the queue
 *   <li>{@code hf:{tag}:a:NAME}: the tenure that the lock was assigned to, until the tenure sends a request, for 10 s
 *   <li>{@code hf:{tag}:r:NAME}: the ends of the leases of a read/write lock, as long as it is held
 *   <li><code>{NAME}:TENURE:rwlock_timeout:1</code>: the timer of a reader; {@code hf:{tag}:rt:NAME:TENURE:rwlock_timeout:1}
 *       for a name that Redisson cannot lock
 *   <li>{@code hf:{tag}:pl:NAME}, {@code ph}, {@code pe}, {@code pq}, {@code pw}, {@code pd}, {@code ps}: the keys of a
 *       semaphore, see {@code permit.lua}
 *   <li>{@code hf:{tag}:l:NAME}, {@code ll}, {@code ld}: the keys of a latch, see {@code latch.lua}
 *   <li>{@code hf:{tag}:f:KEY}: the highest token that a key of a user has seen, see {@code RedisFence}
 *   <li>{@code hf:client:ID}: the record of a client, while it uses locks
 *   <li>{@code hf:in:ID}: the channel on which a client listens. In a cluster, it is {@code hf:in:NODE:ID} at each node that
 *       the client uses
 *   <li>{@code hf:{slot}:in:NODE:ID}: the channel of a slot in a cluster of Redis 7 or later, for the messages of scripts
 *       there. The slot is written as a text from a table
 * </ul>
 *
 * <p>NAME and ID include the key prefix of the client. The tag puts the keys of a lock into one slot of a cluster. It is the
 * part of the lock's name between braces; without one, it is the whole name. A name with a closing brace cannot be a tag. Its
 * tag is a short text of the same slot from a table. All versions share these names, which never change.
 *
 * @param prefix the key prefix of all names
 * @param node the id of a node of a cluster, followed by a colon; empty without a cluster
 */
public record KeyLayout(String prefix, String node) {

    private static final int CLAIM_AT = 3;
    private static final int PERMIT_COUNTER_AT = 5;

    private static final String QUEUE = "}:q:";
    private static final String CLAIM = "}:a:";
    private static final String COUNTER = "}:t:";
    private static final String FLOOR = "}:tf:";
    private static final String KNOWN = "}:s:";
    private static final String[] ALL_KINDS = {COUNTER, QUEUE, CLAIM, FLOOR};
    private static final String[] SERVED_KINDS = {COUNTER, QUEUE, CLAIM, FLOOR, KNOWN};
    private static final String[] RENEWED_KINDS = {QUEUE, CLAIM};
    private static final String TIMER = ":rwlock_timeout:1";
    private static final int RADIX = 36;

    /** Returns the keys of the locks, in the order that the scripts expect. */
    public String[] keys(List<String> names) {
        return keys(names, ALL_KINDS);
    }

    /** Returns the keys of the locks for {@link Script#RENEW_ALIKE}. */
    public String[] renewedKeys(List<String> names) {
        return keys(names, RENEWED_KINDS);
    }

    /** Returns the key of each lock, followed by its keys of the given kinds. */
    private String[] keys(List<String> names, String[] kinds) {
        String[] keys = new String[names.size() * (kinds.length + 1)];
        int i = 0;
        for (String name : names) {
            String lock = prefix + name;
            String tag = "hf:{" + tag(lock);
            keys[i++] = lock;
            for (String kind : kinds) {
                keys[i++] = kind.equals(COUNTER) ? counter(lock) : tag + kind + lock;
            }
        }
        return keys;
    }

    /** Returns the token counter of a lock. All names with the prefix share it; in a cluster, all of one slot do. */
    private String counter(String lock) {
        return "hf:{" + (node.isEmpty() ? "" : text(slot(lock))) + COUNTER + prefix;
    }

    /** Returns a short text that is in the slot. */
    private static String text(int slot) {
        return Integer.toString(Table.NUMBERS[slot], RADIX);
    }

    /** Returns the keys of the lock for scripts that change or serve the queue. */
    public String[] servedKeys(String name) {
        return keys(List.of(name), SERVED_KINDS);
    }

    /** Returns the key of the facts about the queue of a lock. */
    public String known(String name) {
        String lock = prefix + name;
        return "hf:{" + tag(lock) + KNOWN + lock;
    }

    /** Returns the keys of a read/write lock, in the order that the scripts expect. */
    public String[] sharedKeys(String name) {
        String[] keys = keys(List.of(name));
        keys[CLAIM_AT] = "hf:{" + tag(keys[0]) + "}:r:" + keys[0];
        return keys;
    }

    /** Returns the keys of a read/write lock, followed by the timer of the given owner. */
    public Stream<String> sharedKeys(String name, TenureId tenure, Mode mode) {
        String owner = tenure + ending(mode);
        return Stream.concat(Stream.of(sharedKeys(name)), Stream.of(timers(name) + ":" + owner + TIMER));
    }

    /** Returns the ending of the owner's field in the hash of a read/write lock. */
    public static String ending(Mode mode) {
        return mode == Mode.READ ? "" : ":" + modeName(mode);
    }

    /** Returns the name of a mode in the scripts. */
    public static String modeName(Mode mode) {
        return mode.name().toLowerCase(Locale.ROOT);
    }

    /**
     * Returns the prefix of the names that Redisson uses for the timers of readers. In a cluster, these may be in another slot
     * than the lock. Redisson cannot use such a lock, so its timers have other names.
     */
    public String timers(String name) {
        String lock = prefix + name;
        String start = lock.indexOf('{') < 0 ? "{" + lock + "}" : lock;
        boolean elsewhere = !node.isEmpty() && slot(start + TIMER) != slot(lock);
        return elsewhere ? "hf:{" + tag(lock) + "}:rt:" + lock : start;
    }

    public int slotOf(String name) {
        return slot(prefix + name);
    }

    /** Returns the slot of a key. All keys that this class derives from it are in the same slot. */
    public static int slot(String key) {
        return SlotHash.getSlot(key.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the keys of one lock, followed by the key of the wait queue of Redisson's fair lock. */
    String[] keysBesideRedisson(String name) {
        String[] keys = servedKeys(name);
        String[] more = Arrays.copyOf(keys, keys.length + 1);
        more[keys.length] = RedissonNames.fairQueue(keys[0]);
        return more;
    }

    /** Returns the keys of a semaphore, in the order that the scripts expect. */
    public String[] permitKeys(String name) {
        String[] keys = countedKeys(name, "pl", "ph", "pe", "pq", "pw", "t", "pd", "ps");
        keys[PERMIT_COUNTER_AT] = counter(prefix + name);
        return keys;
    }

    /** Returns the keys of a semaphore or a latch, of the given kinds. */
    public String[] countedKeys(String name, String... kinds) {
        String counted = prefix + name;
        return Arrays.stream(kinds)
                .map(kind -> "hf:{" + tag(counted) + "}:" + kind + ":" + counted)
                .toArray(String[]::new);
    }

    /** Returns the SCAN pattern for keys of one kind of semaphores or latches whose names begin with the given text. */
    public String counted(String kind, String start) {
        return "hf:{*}:" + kind + ":" + locks(start);
    }

    /**
     * Returns the name in such a key. If another program's key matches by accident, the result is a name that is not in use.
     */
    public String countedName(String kind, String key) {
        return after("}:" + kind + ":", key);
    }

    private String after(String mark, String key) {
        return key.substring(key.indexOf(mark) + mark.length() + prefix.length());
    }

    String inbox(String client) {
        return "hf:in:" + node + prefix + client;
    }

    /** Returns the prefix of the inbox channels of a slot. */
    String inboxesOf(int slot) {
        return "hf:{" + text(slot) + "}:in:" + node + prefix;
    }

    public String record(String client) {
        return "hf:client:" + prefix + client;
    }

    /** Returns the lock's name in the key of a lock or of a queue. */
    public String name(String key) {
        return key.startsWith("hf:{") ? after(QUEUE, key) : key.substring(prefix.length());
    }

    /** Returns the SCAN pattern for locks whose names begin with the given text. */
    public String locks(String start) {
        return (prefix + start).replaceAll("[\\\\*?\\[\\]^-]", "\\\\$0") + "*";
    }

    /** Returns the SCAN pattern for the queues of these locks. */
    public String queues(String start) {
        return "hf:{*" + QUEUE + locks(start);
    }

    /** Returns the key that remembers the highest token of a user's key. It is in the same slot. */
    public static String guard(String key) {
        return "hf:{" + tag(key) + "}:f:" + key;
    }

    static String tag(String lock) {
        int open = lock.indexOf('{');
        int close = lock.indexOf('}', open + 1);
        if (open >= 0 && close > open + 1) {
            return lock.substring(open + 1, close);
        }
        return lock.indexOf('}') < 0 ? lock : text(slot(lock));
    }

    /** For each slot, the lowest number whose text in base 36 is in that slot. The table is built at first use, in about 20 ms. */
    private static final class Table {

        static final int[] NUMBERS = new int[SlotHash.SLOT_COUNT];

        static {
            int missing = NUMBERS.length;
            for (int i = 1; missing > 0; i++) {
                int slot = slot(Integer.toString(i, RADIX));
                if (NUMBERS[slot] == 0) {
                    NUMBERS[slot] = i;
                    missing--;
                }
            }
        }
    }
}
