package io.holdfast.support.store;

/**
 * The key of a record.
 *
 * @param kind the kind of the name; names of different kinds are independent
 * @param text the name with the prefix of its client
 */
public record RecordKey(Kind kind, String text) {

    /** The kind of a name. */
    public enum Kind {
        /** A lock, or a read/write lock. */
        LOCK,
        /** A semaphore. */
        SEMAPHORE,
        /** A latch. */
        LATCH
    }

    /** Returns {@code true} if this key is of the same kind as a prefix, and begins with its text. */
    public boolean isBelow(RecordKey prefix) {
        return kind == prefix.kind && text.startsWith(prefix.text);
    }
}
