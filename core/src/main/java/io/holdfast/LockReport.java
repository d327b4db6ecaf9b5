package io.holdfast;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The state of one lock name, as the store knows it at one moment.
 *
 * @param name the lock name
 * @param holders the holders; empty if the lock is free, and several only for readers
 * @param waiters the waiting clients in the order of their arrival; the waiters inside one client count once
 * @param lastToken an upper bound of all tokens that were issued for the name; at Redis the highest token of all names that
 *     share a counter. Empty if the store has none
 */
public record LockReport(String name, List<Holder> holders, List<Waiter> waiters, OptionalLong lastToken) {

    /** Copies the lists. */
    public LockReport {
        holders = List.copyOf(holders);
        waiters = List.copyOf(waiters);
    }

    /** Returns the holder, or the first of several readers; empty if the lock is free. */
    public Optional<Holder> holder() {
        return holders.stream().findFirst();
    }

    /**
     * A process that uses the store.
     *
     * @param id the client's random id
     * @param name the client's name, by default {@code host:pid}; empty if the client left no record
     * @param host the client's host; empty if unknown
     * @param pid the client's process id; empty if unknown
     */
    public record Client(String id, Optional<String> name, Optional<String> host, OptionalLong pid) {

        /** Returns a client of which only the id is known. */
        public static Client unknown(String id) {
            return new Client(id, Optional.empty(), Optional.empty(), OptionalLong.empty());
        }

        /** Returns the name and the location of the client, as far as known. */
        @Override
        public String toString() {
            return name.map(n -> n + " ").orElse("") + "client " + id
                    + host.map(h -> ", host " + h).orElse("")
                    + (pid.isPresent() ? ", pid " + pid.getAsLong() : "");
        }
    }

    /** The mode in which a lock is held. */
    public enum Mode {
        /** A plain or fair lock, held by one owner. */
        LOCK,
        /** A read/write lock, held by readers. */
        READ,
        /** A read/write lock, held by one writer. */
        WRITE
    }

    /**
     * A holder of a lock.
     *
     * @param client the client that holds the lock
     * @param hold the id of the hold at the store. It stays the same while the owners of one client hand the lock over to each
     *     other. A client of Holdfast never uses it again after that
     * @param mode the mode of the hold
     * @param owner the thread or lease inside that client, or {@link #KEPT}; empty if the client did not report it
     * @param since the time when that owner acquired the lock, or when the last owner released it, by the client's wall clock;
     *     empty if the client did not report it
     * @param place the current stack of the owning thread, as {@code now at ...}; or the call site that acquired the lease, as
     *     {@code acquired at ...}, if its client {@linkplain HoldfastBuilder#recordPlaces records} call sites; empty if the
     *     client did not report it
     * @param fencingToken the fencing token of that owner, or of the last one; empty if the client did not report it
     * @param remainingLease the time until the lease ends at the store, if nobody renews it
     */
    public record Holder(
            Client client,
            String hold,
            Mode mode,
            Optional<String> owner,
            Optional<Instant> since,
            Optional<String> place,
            OptionalLong fencingToken,
            Duration remainingLease) {

        /** The {@link #owner} of a {@linkplain LockOptions#withLinger lingering} lock, which no owner holds. */
        public static final String KEPT = "no owner (lingering)";

        /**
         * Returns {@code true} if the lock is lingering: no owner holds it, and its client releases it as soon as another
         * client requests it. The result is {@code false} if the client did not answer.
         */
        public boolean isKept() {
            return owner.filter(KEPT::equals).isPresent();
        }

        /** Returns one line for an error text. */
        @Override
        public String toString() {
            return client
                    + (mode == Mode.LOCK ? "" : ", mode " + mode.name().toLowerCase(Locale.ROOT))
                    + owner.map(o -> ", " + o).orElse(", owner unknown")
                    + since.map(s -> ", since " + s).orElse("")
                    + place.map(p -> ", " + p).orElse("")
                    + (fencingToken.isPresent() ? ", token " + fencingToken.getAsLong() : ", token unknown")
                    + ", lease ends in " + remainingLease.toMillis() + " ms";
        }
    }

    /**
     * A client that waits for a lock.
     *
     * @param client the client
     * @param since the time of its arrival, by the server's clock
     */
    public record Waiter(Client client, Instant since) {}
}
