package io.holdfast;

/** How a client that waits for a lock learns that it is free. */
public enum WaitStrategy {

    /**
     * It has a place in the queue of the store, and is told; once in a poll interval it asks, in case the message got lost.
     * Where the store has no messages this is the same as {@link #POLLING}.
     */
    SIGNALS,

    /**
     * It asks, first after 5 ms and then ever less often, down to once in {@link HoldfastBuilder#pollInterval}; each time
     * give or take a tenth. It has no place in the queue and needs no messages, so it works where a server does not pass
     * them on. It gets the lock when it happens to ask while the lock is free: nobody makes way for it, so it may wait for
     * long for a lock that others keep busy. Threads of one client still pass the lock on to each other, and while one of
     * them waits in this way the client asks as often for all of them.
     */
    POLLING
}
