package io.holdfast.redis.script;

/** The names of the channels and keys that Redisson has beside the hash of a lock. */
public final class RedissonNames {

    private static final String CHANNEL = "redisson_lock__channel";
    private static final String SHARED_CHANNEL = "redisson_rwlock";
    private static final String MARK = "hf:in:";
    private static final String FAIR_LINE = "redisson_lock_queue";

    private RedissonNames() {}

    /** Where its clients hear that a lock is free. */
    public static String channel(String lock) {
        return named(CHANNEL, lock);
    }

    /** Where they hear that a read/write lock may be had. */
    public static String sharedChannel(String lock) {
        return named(SHARED_CHANNEL, lock);
    }

    /** A channel of our own, by which scripts tell who of those that listen on one of Redisson's is not Redisson's. */
    public static String mark(String channel) {
        return MARK + channel;
    }

    /** The list of those that wait for its fair lock. */
    static String fairLine(String lock) {
        return named(FAIR_LINE, lock);
    }

    /** A name with any opening brace in it is taken for one that has a hash tag. */
    private static String named(String kind, String lock) {
        return lock.contains("{") ? kind + ':' + lock : kind + ":{" + lock + '}';
    }
}
