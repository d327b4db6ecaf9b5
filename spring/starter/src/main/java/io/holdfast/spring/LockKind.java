package io.holdfast.spring;

import io.holdfast.Holdfast;

/** What a {@link Locked} method acquires. */
public enum LockKind {
    /** The lock of the name; see {@link Holdfast#lock(String)}. */
    LOCK,
    /** The fair lock of the name; see {@link Holdfast#fairLock(String)}. */
    FAIR,
    /** The read lock of the read/write lock of the name. */
    READ,
    /** The write lock of the read/write lock of the name. */
    WRITE,
    /** Permits of the semaphore of the name; see {@link Holdfast#semaphore(String)}. */
    PERMITS
}
