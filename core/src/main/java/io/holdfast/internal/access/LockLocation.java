package io.holdfast.internal.access;

import static io.holdfast.spi.Names.quoted;

/**
 * The location of a lock, by which all processes order locks in the same way. The order compares names first. So the order of
 * different names does not depend on how a process writes the address of a store.
 *
 * @param name the name at the store, with the key prefix of the client
 * @param store the address of that store
 */
public record LockLocation(String name, String store) implements Comparable<LockLocation> {

    @Override
    public int compareTo(LockLocation other) {
        int names = name.compareTo(other.name);
        return names != 0 ? names : store.compareTo(other.store);
    }

    /** Returns the location, for error texts. */
    @Override
    public String toString() {
        return quoted(name) + " at " + store;
    }
}
