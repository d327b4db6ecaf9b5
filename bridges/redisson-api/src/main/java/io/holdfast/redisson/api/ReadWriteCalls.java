package io.holdfast.redisson.api;

import static io.holdfast.spi.Names.quoted;

import org.redisson.api.RLock;

/** The methods of a read/write lock. */
final class ReadWriteCalls {

    private final String name;
    private final RLock readLock;
    private final RLock writeLock;

    ReadWriteCalls(String name, RLock readLock, RLock writeLock) {
        this.name = name;
        this.readLock = readLock;
        this.writeLock = writeLock;
    }

    public RLock readLock() {
        return readLock;
    }

    public RLock writeLock() {
        return writeLock;
    }

    @Override
    public String toString() {
        return "read/write lock " + quoted(name);
    }
}
