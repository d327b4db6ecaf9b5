package io.holdfast.memory;

/**
 * The key of a record.
 *
 * @param kind the kind of the name; names of different kinds are independent
 * @param text the name with the prefix of its client
 */
record MemoryKey(Kind kind, String text) {

    /** The kind of a name. */
    enum Kind {
        LOCK,
        SEMAPHORE,
        LATCH
    }

    boolean isBelow(MemoryKey prefix) {
        return kind == prefix.kind && text.startsWith(prefix.text);
    }
}
