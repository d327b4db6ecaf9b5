package io.holdfast;

/** The way in which a waiting client learns that a lock is free. */
public enum WaitStrategy {

    /**
     * The client has a position in the queue of the store, and is notified. Once in a poll interval it also asks, in case a
     * message was lost. If the store sends no messages, this is the same as {@link #POLLING}.
     */
    SIGNALS,

    /**
     * The client asks repeatedly, first after 5 ms and then less and less often, down to once in
     * {@link HoldfastBuilder#pollInterval}. Each interval varies by a tenth.
     *
     * <p>The client has no position in the queue and needs no messages. So this strategy works where a server does not forward
     * them. The client acquires the lock if the lock is free when it asks. Nobody makes way for it, so it may wait for a long
     * time for a busy lock. Threads of one client still hand the lock over to each other. While one of them waits in this way,
     * the client asks at this rate for all of them.
     */
    POLLING
}
