package io.holdfast.support.store;

import io.holdfast.spi.Share.Mode;
import io.holdfast.support.store.RecordKey.Kind;

/**
 * The keys of one client.
 *
 * @param prefix the prefix of all its names; empty for none
 */
public record RecordKeys(String prefix) {

    /** Returns the key of a lock, or of a prefix of locks. */
    public RecordKey lock(String name) {
        return new RecordKey(Kind.LOCK, prefix + name);
    }

    /** Returns the key of a semaphore, or of a prefix of semaphores. */
    public RecordKey semaphore(String name) {
        return new RecordKey(Kind.SEMAPHORE, prefix + name);
    }

    /** Returns the key of a latch, or of a prefix of latches. */
    public RecordKey latch(String name) {
        return new RecordKey(Kind.LATCH, prefix + name);
    }

    /** Returns the key of a name that is held in the given mode. */
    public RecordKey of(String name, Mode mode) {
        return mode == Mode.PERMITS ? semaphore(name) : lock(name);
    }

    /** Returns the name that the client uses for a key. */
    public String name(RecordKey key) {
        return key.text().substring(prefix.length());
    }
}
