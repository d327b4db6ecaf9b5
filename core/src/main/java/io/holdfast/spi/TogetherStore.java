package io.holdfast.spi;

import java.util.List;
import java.util.concurrent.CompletionStage;

/** Takes several names by one request, all or none of them. The rules for every operation are those of {@link LockStore}. */
public interface TogetherStore {

    /**
     * Whether one request may take both: they are kept by the same server, and in the same part of it. Does not change while
     * the store is open; whoever goes with a second, and that with a third, goes with the third.
     */
    boolean together(String name, String other);

    /**
     * Takes all names, each for its own tenure, if every one of them is free.
     *
     * <p>The names differ, and go {@linkplain #together together}. Each is asked for as a {@linkplain Share#LOCK lock}, with
     * {@link Acquire.Queueing#NONE} and nothing {@linkplain Acquire#behind behind} it, and all of one {@link Acquire#safety}.
     *
     * <p>Decided in this order:
     * <ol>
     *   <li>The server's time is past any {@link Acquire#notAfter}: all are answered by {@link Acquire.Late}, and nothing is
     *       written.
     *   <li>One cannot be asked for, because of what is kept under its name or because it is held as a read/write lock: the
     *       stage fails by an error that says which, and nothing is written.
     *   <li>Each is free, and no {@linkplain Acquire.Queueing#FAIR fair} place waits for it, or is held by its tenure: all are
     *       {@link Acquire.Granted}, each as by {@link LockStore#acquire}.
     *   <li>Otherwise nothing is written for any, but that fair places of clients that are gone may be dropped. No queue is served, and all are answered by {@link Acquire.Refused}: those that
     *       stand in the way with their holder and the time left, the others without a holder and without time. That says
     *       nothing of what an earlier copy did.
     * </ol>
     *
     * @return one reply for each request, in their order
     */
    CompletionStage<List<Acquire.Reply>> acquire(List<Acquire> all);
}
