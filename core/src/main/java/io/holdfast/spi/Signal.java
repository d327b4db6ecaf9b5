package io.holdfast.spi;

import java.util.function.Predicate;

/**
 * A message from the store to one client. It may be late, duplicated, lost, or overtaken by a reply. The polls of the engine
 * make up for lost messages.
 */
public sealed interface Signal {

    /** A message that the name became free and that this client was chosen to try. */
    record Freed(String name) implements Signal {}

    /**
     * A message that the name became free and that no client was chosen, so all waiters may try. It is sent only if other
     * libraries release names.
     */
    record Opened(String name) implements Signal {}

    /**
     * A message that the name was assigned to a waiting tenure of this client. Its first lease is a claim window, or its own
     * lease if that is shorter.
     *
     * @param name the name of the lock
     * @param tenure the tenure to which the name was assigned
     * @param mode the mode in which it holds the name
     * @param tokens its tokens
     * @param foreignWaiters the number of other clients that still wait
     * @param next the arrival of the last position in the unbroken run of fair positions of this client at the head of the
     *     queue. The client may hand the name over to the positions up to there without the store. It is 0 if the first
     *     position belongs to another client
     * @param expiresMicros the end of the claim window, in microseconds of the server's clock
     * @param run a number that changes whenever the server may have lost its data; 0 if it is not known for certain
     */
    record Assigned(
            String name,
            TenureId tenure,
            Share.Mode mode,
            TokenBlock tokens,
            int foreignWaiters,
            long next,
            long expiresMicros,
            long run)
            implements Signal {}

    /**
     * A message that another client waits for a name that this client holds. If this client's tenure may
     * {@linkplain TenureId#lingers linger}, the message is also sent when another client was refused again, or was refused
     * without a position in the queue.
     */
    record Wanted(String name) implements Signal {}

    /** A message that a latch for which this client listens has opened, was set again, or has ended. */
    record Changed(String name) implements Signal {}

    /**
     * A message that the tenure was revoked by {@link LockStore#forceRelease} or {@link CounterStore#revoke}. The client
     * verifies it by a renewal.
     */
    record Revoked(String name, TenureId tenure) implements Signal {}

    /**
     * A message that the connection to a server of this store was lost and is being restored. It is optional, for the log.
     *
     * @param server the server as in {@link LockStore#describe}, never with a password
     */
    record Down(String server) implements Signal {}

    /**
     * A message that the connection to a server that was {@link Down} is restored. It is sent after the {@link Gap}.
     *
     * @param server the same text as in {@link Down#server}
     * @param address the present server, if {@code server} does not name it; empty otherwise
     */
    record Up(String server, String address) implements Signal {}

    /**
     * A message that signals may have been missed. It is sent when signals arrive again. The client then checks everything that
     * it holds or waits for.
     *
     * @param names the names whose signals may have been missed
     */
    record Gap(Predicate<String> names) implements Signal {

        /** Creates a message that applies to all names. */
        public Gap() {
            this(name -> true);
        }
    }
}
