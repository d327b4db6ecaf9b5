package io.holdfast.internal.lock;

import io.holdfast.DistributedReadWriteLock;

/** Two locks of one name. */
public record ClientReadWriteLock(ClientLock readLock, ClientLock writeLock, ClientLock upgradeableLock)
        implements DistributedReadWriteLock {

    @Override
    public String name() {
        return readLock.name();
    }

    @Override
    public String toString() {
        return "read/write lock '" + name() + "' of "
                + readLock.engine().settings.name() + ", here "
                + readLock.engine().inspector.heldHere(name());
    }
}
