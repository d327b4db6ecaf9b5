package io.holdfast.spi;

import java.util.function.Predicate;

/**
 * A message from the store to one client. May be late, doubled, dropped, or overtaken by a reply: the engine's poll
 * repairs what is lost.
 */
public sealed interface Signal {

    /** The name became free, and this client is the one that was chosen to try. */
    record Freed(String name) implements Signal {}

    /** The name became free, and nobody was chosen: all who wait may try. Only where others than this library free names. */
    record Opened(String name) implements Signal {}

    /**
     * The name was assigned to a waiting tenure of this client, with a claim window as its first lease, or its own lease if
     * that is shorter.
     *
     * @param name the lock
     * @param tenure to whom
     * @param mode how it holds the name
     * @param tokens its tokens
     * @param foreignWaiters how many other clients still wait
     * @param next the arrival of the last of the first places in the queue, one behind the other, that are fair ones of this
     *     client: up to there they may be served by it without the store; 0 if the first is another one's
     * @param expiresMicros the end of the claim window, in microseconds of the server's clock
     * @param run any number that changes whenever the server may have lost what it knew; 0 if not known for certain
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
     * Another client waits for a name that this client holds; or was refused once more, or without a place to wait in, if this
     * client's tenure may {@linkplain TenureId#lingers linger}.
     */
    record Wanted(String name) implements Signal {}

    /** A latch for which this client listens has opened, was set anew, or is gone. */
    record Changed(String name) implements Signal {}

    /** The tenure was taken away by {@link LockStore#forceRelease} or {@link CounterStore#revoke}. To be verified by a renewal. */
    record Revoked(String name, TenureId tenure) implements Signal {}

    /**
     * The connection to a server of this store was lost, and is being made again. Optional, for the log.
     *
     * @param server as in {@link LockStore#describe}; never with a password
     */
    record Down(String server) implements Signal {}

    /**
     * The connection to a server that was {@link Down} is there again. Sent after the {@link Gap}.
     *
     * @param server the same as in {@link Down#server}
     * @param place which server it is now, if that is not said by the former; empty otherwise
     */
    record Up(String server, String place) implements Signal {}

    /**
     * Signals may have been missed; sent when they flow again. Everything waited for or held is to be checked.
     *
     * @param names of what they may have been
     */
    record Gap(Predicate<String> names) implements Signal {

        /** Signals of whatever name. */
        public Gap() {
            this(Gap::any);
        }

        private static boolean any(String name) {
            return true;
        }
    }
}
