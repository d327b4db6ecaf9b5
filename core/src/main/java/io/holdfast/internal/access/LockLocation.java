package io.holdfast.internal.access;

/**
 * What makes a lock the same lock, or another one, in every process. The name comes first, so that the order of different
 * names does not depend on how a process writes the address of a store.
 *
 * @param name as it is in the store, with the prefix of the client
 * @param store where that store is
 */
public record LockLocation(String name, String store) implements Comparable<LockLocation> {

    @Override
    public int compareTo(LockLocation other) {
        int names = name.compareTo(other.name);
        return names != 0 ? names : store.compareTo(other.store);
    }

    /** For error texts. */
    @Override
    public String toString() {
        return "'" + name + "' at " + store;
    }
}
