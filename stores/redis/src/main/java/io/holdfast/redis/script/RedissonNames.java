package io.holdfast.redis.script;

/** The names of Redisson's channels and keys, except for the hash of a lock. */
public final class RedissonNames {

    private static final String CHANNEL = "redisson_lock__channel";
    private static final String SHARED_CHANNEL = "redisson_rwlock";
    private static final String MARK = "hf:in:";
    private static final String FAIR_QUEUE = "redisson_lock_queue";

    private RedissonNames() {}

    /** Returns the channel on which Redisson publishes that a lock is free. */
    public static String channel(String lock) {
        return named(CHANNEL, lock);
    }

    /** Returns the channel on which Redisson publishes that a read/write lock may be free. */
    public static String sharedChannel(String lock) {
        return named(SHARED_CHANNEL, lock);
    }

    /**
     * Returns the mark of a channel of Redisson. This is a channel that only our clients subscribe to, along with the channel of
     * Redisson. So the scripts can count the listeners that are ours.
     */
    public static String mark(String channel) {
        return MARK + channel;
    }

    /** Returns the list of the waiters of Redisson's fair lock. */
    static String fairQueue(String lock) {
        return named(FAIR_QUEUE, lock);
    }

    /** Returns the name that Redisson forms. Redisson treats any opening brace as the beginning of a hash tag. */
    private static String named(String kind, String lock) {
        return lock.contains("{") ? kind + ':' + lock : kind + ":{" + lock + '}';
    }
}
