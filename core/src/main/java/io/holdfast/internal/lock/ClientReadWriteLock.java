package io.holdfast.internal.lock;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.DistributedReadWriteLock;

/** The read lock and the write lock of one name. */
public record ClientReadWriteLock(ClientLock readLock, ClientLock writeLock) implements DistributedReadWriteLock {

    @Override
    public String name() {
        return readLock.name();
    }

    @Override
    public String toString() {
        return "read/write lock " + quoted(name()) + " of "
                + readLock.client().settings().name() + ", here "
                + readLock.client().inspector().heldHere(name());
    }
}
