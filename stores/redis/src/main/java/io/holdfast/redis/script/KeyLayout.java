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
 * The names of the keys and channels in the server. The lock is a hash at its raw name, as other lock libraries keep it; all
 * others begin with {@code hf:}:
 * <ul>
 *   <li>{@code hf:{}:t:PREFIX} the highest unit of tokens given to any name with that prefix; in a cluster one for each slot,
 *       {@code hf:{slot}:t:PREFIX}
 *   <li>{@code hf:{tag}:tf:NAME} the unit that those of the name are above, while that is above the clock
 *   <li>{@code hf:{tag}:q:NAME} the waiting tenures by arrival, until it is empty or nobody asked for 60 s
 *   <li>{@code hf:{tag}:s:NAME} what is known about the queue, see {@code serve.lua}; as long as it
 *   <li>{@code hf:{tag}:a:NAME} the tenure that the lock was assigned to, until it is heard of, for 10 s
 *   <li>{@code hf:{tag}:r:NAME} the ends of the leases of a read/write lock, as long as it is held
 *   <li>{@code hf:{tag}:f:KEY} the highest token that a key of a user has seen, see {@code RedisFence}
 *   <li>{@code hf:client:ID} who a client is, while it uses locks
 *   <li>{@code hf:in:ID} the channel on which a client listens; in a cluster {@code hf:in:NODE:ID} at each node that it uses
 *   <li>{@code hf:{slot}:in:NODE:ID} in a cluster of Redis 7 or later the channel of a slot, for what is told by scripts there; the slot
 *       is written as a text from that table
 * </ul>
 * NAME and ID are behind the key prefix of the client, if it has one. The tag puts the keys of a lock into one slot of a
 * cluster: it is what the lock's own name has between braces; else the whole name; else, for a name with a closing brace,
 * which cannot be a tag, a short text of the same slot from a table. All this is shared by all versions and never changes.
 *
 * @param prefix of all names
 * @param node which node of a cluster this is, with a colon behind; empty where there is no cluster
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

    /** The keys of the locks, as the scripts want them. */
    public String[] keys(List<String> names) {
        return keys(names, ALL_KINDS);
    }

    /** The keys of the locks that the renewal of those that are alike wants. */
    public String[] renewedKeys(List<String> names) {
        return keys(names, RENEWED_KINDS);
    }

    /** Of each lock its own, and those of these kinds. */
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

    /** Where the tokens of a name are counted: with those of all names that have the prefix, in a cluster of its slot. */
    private String counter(String lock) {
        return "hf:{" + (node.isEmpty() ? "" : text(slot(lock))) + COUNTER + prefix;
    }

    /** A short text that is in this slot. */
    private static String text(int slot) {
        return Integer.toString(Table.NUMBERS[slot], RADIX);
    }

    /** The same, as those scripts want them that take places or serve the queue. */
    public String[] servedKeys(List<String> names) {
        return keys(names, SERVED_KINDS);
    }

    /** What is known of those who wait for a lock of that name. */
    public String known(String name) {
        String lock = prefix + name;
        return "hf:{" + tag(lock) + KNOWN + lock;
    }

    /** The keys of a read/write lock, as the scripts want them. */
    public String[] sharedKeys(String name) {
        String[] keys = keys(List.of(name));
        keys[CLAIM_AT] = "hf:{" + tag(keys[0]) + "}:r:" + keys[0];
        return keys;
    }

    /** The same for a tenure that has it, or wants it. */
    public Stream<String> sharedKeys(String name, TenureId tenure, Mode mode) {
        String owner = tenure + ending(mode);
        return Stream.concat(Stream.of(sharedKeys(name)), Stream.of(timers(name) + ":" + owner + TIMER));
    }

    /** Behind the tenure of an owner, as the scripts have it. */
    public static String ending(Mode mode) {
        return mode == Mode.READ ? "" : ":" + modeName(mode);
    }

    /** What the scripts call it. */
    public static String modeName(Mode mode) {
        return mode.name().toLowerCase(Locale.ROOT);
    }

    /** With what those begin under which Redisson looks for readers; where it cannot lock the name, others that it does not know. */
    public String timers(String name) {
        String lock = prefix + name;
        String start = lock.indexOf('{') < 0 ? "{" + lock + "}" : lock;
        boolean elsewhere = !node.isEmpty() && slot(start + TIMER) != slot(lock);
        return elsewhere ? "hf:{" + tag(lock) + "}:rt:" + lock : start;
    }

    public int slotOf(String name) {
        return slot(prefix + name);
    }

    /** By all keys that are made here of a lock, too. */
    public static int slot(String key) {
        return SlotHash.getSlot(key.getBytes(StandardCharsets.UTF_8));
    }

    /** The same for one lock, and what a script needs that tells Redisson's clients as well. */
    String[] keysBesideRedisson(String name) {
        String[] keys = servedKeys(List.of(name));
        String[] more = Arrays.copyOf(keys, keys.length + 1);
        more[keys.length] = RedissonNames.fairLine(keys[0]);
        return more;
    }

    /** The keys of a semaphore, as the scripts want them. */
    public String[] permitKeys(String name) {
        String[] keys = countedKeys(name, "pl", "ph", "pe", "pq", "pw", "t", "pd", "ps");
        keys[PERMIT_COUNTER_AT] = counter(prefix + name);
        return keys;
    }

    /** The keys of a semaphore or a latch, of these kinds. */
    public String[] countedKeys(String name, String... kinds) {
        String counted = prefix + name;
        return Arrays.stream(kinds)
                .map(kind -> "hf:{" + tag(counted) + "}:" + kind + ":" + counted)
                .toArray(String[]::new);
    }

    /** For SCAN: the keys of that kind of semaphores or latches with names that begin like that. */
    public String counted(String kind, String start) {
        return "hf:{*}:" + kind + ":" + locks(start);
    }

    /** The name in such a key; of a key that looks alike, one of which nothing is kept. */
    public String countedName(String kind, String key) {
        return behind("}:" + kind + ":", key);
    }

    private String behind(String mark, String key) {
        return key.substring(key.indexOf(mark) + mark.length() + prefix.length());
    }

    String inbox(String client) {
        return "hf:in:" + node + prefix + client;
    }

    /** With what the channels of that slot begin. */
    String inboxesOf(int slot) {
        return "hf:{" + text(slot) + "}:in:" + node + prefix;
    }

    public String record(String client) {
        return "hf:client:" + prefix + client;
    }

    /** The lock name in the key of a lock or of a queue. */
    public String name(String key) {
        return key.startsWith("hf:{") ? behind(QUEUE, key) : key.substring(prefix.length());
    }

    /** For SCAN: the locks with names that begin like that. */
    public String locks(String start) {
        return (prefix + start).replaceAll("[\\\\*?\\[\\]^-]", "\\\\$0") + "*";
    }

    /** For SCAN: their queues. */
    public String queues(String start) {
        return "hf:{*" + QUEUE + locks(start);
    }

    /** The key beside one of a user's, in its slot. */
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

    /** For each slot the lowest number that is in it when written to base 36; made when first needed, in some 20 ms. */
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
