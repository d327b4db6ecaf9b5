package io.holdfast.redis.script;

/** The names of Redisson's channels and keys beside the hash of a lock. */
public final class RedissonNames {

    private static final String CHANNEL = "redisson_lock__channel";
    private static final String SHARED_CHANNEL = "redisson_rwlock";
    private static final String MARK = "hf:in:";
    private static final String FAIR_LINE = "redisson_lock_queue";

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
     * Returns a channel of our own that our clients subscribe to along with the given channel of Redisson. It tells the
     * scripts which of the listeners are ours.
     */
    public static String mark(String channel) {
        return MARK + channel;
    }

    /** Returns the list of the waiters of Redisson's fair lock. */
    static String fairLine(String lock) {
        return named(FAIR_LINE, lock);
    }

    /** Returns the name as Redisson forms it. Redisson takes any opening brace for the beginning of a hash tag. */
    private static String named(String kind, String lock) {
        return lock.contains("{") ? kind + ':' + lock : kind + ":{" + lock + '}';
    }
}
