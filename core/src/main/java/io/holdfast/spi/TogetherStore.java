package io.holdfast.spi;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * The batch operations of a store. One request acquires several names: all or none of them. The rules for every operation are
 * those of {@link LockStore}.
 */
public interface TogetherStore {

    /**
     * Returns {@code true} if one request can acquire both names, because the same part of the same server keeps them.
     *
     * <p>The result does not change while the store is open. The relation is transitive.
     */
    boolean together(String name, String other);

    /**
     * Acquires all names, each for its own tenure, if every one of them is free.
     *
     * <p>The names differ, and can be acquired {@linkplain #together together}. Each is requested as a
     * {@linkplain Share#LOCK lock}, with {@link Acquire.Queueing#NONE} and nothing {@linkplain Acquire#behind behind} it.
     *
     * <p>The decision is made in this order:
     * <ol>
     *   <li>The server's time is past the {@link Acquire#notAfter} of any request: all replies are {@link Acquire.Late}, and
     *       nothing is written.
     *   <li>One of the names cannot be requested, because of foreign data under it or because it is held as a read/write lock:
     *       the stage fails with an error that names it, and nothing is written.
     *   <li>Each name is held by its tenure, or it is free and no {@linkplain Acquire.Queueing#FAIR fair} position waits for
     *       it: all replies are {@link Acquire.Granted}, each as by {@link LockStore#acquire}.
     *   <li>Otherwise, nothing is written for any of them, except that fair positions of dead clients may be dropped. No queue
     *       is served, and all replies are {@link Acquire.Refused}. The replies for conflicting names contain the holder and
     *       the time left. The other replies contain no holder and no time. The replies do not tell whether an earlier copy was
     *       applied.
     * </ol>
     *
     * @return one reply for each request, in their order
     */
    CompletionStage<List<Acquire.Reply>> acquire(List<Acquire> all);
}
