package io.holdfast;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What the store knows about one lock name at one moment.
 *
 * @param name the lock name
 * @param holders who holds it; empty if it is free, and several only if they read
 * @param waiters the clients that wait for it, first come first; waiters inside one client count once
 * @param lastToken no token that was given for the name is higher; Redis says the highest token of all names that share a
 *     counter. Empty if the store has none
 */
public record LockReport(String name, List<Holder> holders, List<Waiter> waiters, OptionalLong lastToken) {

    /** Copies the lists. */
    public LockReport {
        holders = List.copyOf(holders);
        waiters = List.copyOf(waiters);
    }

    /** Who holds it, or the first of those who read; empty if it is free. */
    public Optional<Holder> holder() {
        return holders.stream().findFirst();
    }

    /**
     * A process that uses the store.
     *
     * @param id the client's random id
     * @param name the client's name, by default {@code host:pid}; empty if the client left no record
     * @param host its host; empty if unknown
     * @param pid its process id; empty if unknown
     */
    public record Client(String id, Optional<String> name, Optional<String> host, OptionalLong pid) {

        /** A client of which only the id is known. */
        public static Client unknown(String id) {
            return new Client(id, Optional.empty(), Optional.empty(), OptionalLong.empty());
        }

        /** The name and where it runs, as far as known. */
        @Override
        public String toString() {
            return name.map(n -> n + " ").orElse("") + "client " + id
                    + host.map(h -> ", host " + h).orElse("")
                    + (pid.isPresent() ? ", pid " + pid.getAsLong() : "");
        }
    }

    /** How a lock is held. */
    public enum Mode {
        /** A plain or fair lock, by one. */
        LOCK,
        /** A read/write lock, by all who read. */
        READ,
        /** A read/write lock, by the one among those who read who may write later. */
        UPGRADE,
        /** A read/write lock, by one who writes. */
        WRITE
    }

    /**
     * Who holds a lock.
     *
     * @param client the client that holds it
     * @param mode how it holds it
     * @param owner the thread or lease inside that client, or {@link #KEPT}; empty if the client did not tell
     * @param since when that owner got it, or the last one left, by the client's wall clock; empty if it did not tell
     * @param place what the owning thread does now, as {@code now at ...}; or which code acquired the lease, as {@code taken at
     *     ...}, if its client {@linkplain HoldfastBuilder#recordPlaces records} that; empty if the client did not tell
     * @param token the fencing token of that owner, or of the last one; empty if the client did not tell
     * @param remainingLease until the store gives the name up if nobody renews it
     */
    public record Holder(
            Client client,
            Mode mode,
            Optional<String> owner,
            Optional<Instant> since,
            Optional<String> place,
            OptionalLong token,
            Duration remainingLease) {

        /** The {@link #owner} of a lock that its client {@linkplain LockOptions#withLinger keeps} though nobody has it. */
        public static final String KEPT = "nobody: kept for the next owner";

        /** Whether nobody has it, and its client gives it back when it is asked for. False if the client did not tell. */
        public boolean isKept() {
            return owner.filter(KEPT::equals).isPresent();
        }

        /** One line for an error text. */
        @Override
        public String toString() {
            return client
                    + (mode == Mode.LOCK ? "" : ", mode " + mode.name().toLowerCase(Locale.ROOT))
                    + owner.map(o -> ", " + o).orElse(", owner unknown")
                    + since.map(s -> ", since " + s).orElse("")
                    + place.map(p -> ", " + p).orElse("")
                    + (token.isPresent() ? ", token " + token.getAsLong() : "")
                    + ", lease ends in " + remainingLease.toMillis() + " ms";
        }
    }

    /**
     * A client that waits for a lock.
     *
     * @param client the client
     * @param since when it came, by the server's clock
     */
    public record Waiter(Client client, Instant since) {}
}
