package io.holdfast.spi;

import java.util.Set;

/**
 * Opens stores of some URI schemes. Found by {@link java.util.ServiceLoader}; name it in {@code module-info} and in
 * {@code META-INF/services}.
 */
public interface StoreProvider {

    /** The schemes, without colon: {@code redis}. The scheme of a URI is the text before its first colon. */
    Set<String> schemes();

    /**
     * Opens a store.
     *
     * @throws IllegalArgumentException if the URI is not understood; the text says what would be, and shows no password
     * @throws StoreException if it cannot be reached within {@link StoreConfig#connectTimeout}, unless it is lazy
     */
    LockStore open(StoreConfig config);

    /**
     * Whether its stores can wait until replicas or disks have a grant; only then anything but {@link io.holdfast.Safety#async}
     * is asked for.
     */
    default boolean replicates() {
        return false;
    }
}
