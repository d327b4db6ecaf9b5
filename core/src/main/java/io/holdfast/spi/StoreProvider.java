package io.holdfast.spi;

import java.util.Set;

/**
 * A factory of stores for certain URI schemes. {@link java.util.ServiceLoader} finds it, so declare it in {@code module-info}
 * and in {@code META-INF/services}.
 */
public interface StoreProvider {

    /**
     * Returns the schemes, without the colon, for example {@code redis}. The scheme of a URI is the text before its first
     * colon.
     */
    Set<String> schemes();

    /**
     * Opens a store.
     *
     * @throws IllegalArgumentException if the URI is not valid; the text shows a valid form, and never a password
     * @throws StoreException if the store cannot be reached within {@link StoreConfig#connectTimeout}, unless it is lazy
     */
    LockStore open(StoreConfig config);

    /**
     * Returns {@code true} if the stores can wait until a grant has reached replicas or disks. Otherwise, they are opened only
     * with {@link io.holdfast.Safety#async}.
     */
    default boolean replicates() {
        return false;
    }
}
