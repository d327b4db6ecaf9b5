package io.holdfast.spi;

import java.util.Optional;

/**
 * The share of a name that a tenure holds: the whole name, or a part of it while other tenures hold other parts.
 *
 * @param mode the mode, which determines with which other modes the name can be shared
 * @param permits the number of permits of a semaphore, 0 for all free ones; 0 for a name that is not a semaphore
 * @param beside for a reader whose owner also writes, the tenure by which it writes, which does not conflict with this share
 */
public record Share(Mode mode, int permits, Optional<TenureId> beside) {

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if the number of permits is negative, or if a share that is not a reader's is beside
     *     another tenure
     */
    public Share {
        if (permits < 0) {
            throw new IllegalArgumentException("no number of permits: " + permits);
        }
        if (beside.isPresent() && mode != Mode.READ) {
            throw new IllegalArgumentException(mode + " cannot be beside tenure " + beside.get() + ": only READ can");
        }
    }

    /**
     * The kind of a name, and the way in which a tenure holds it. A name that is held in one mode is refused in a conflicting
     * mode. {@link #READ} and {@link #WRITE} are the shared and the exclusive lock of databases.
     */
    public enum Mode {
        /** A lock, held by one tenure. */
        LOCK,
        /** A read/write lock, held by one writer. */
        WRITE,
        /** A read/write lock, held by readers. */
        READ,
        /** A semaphore of which a number of permits is held. Its name is independent of that of a lock. */
        PERMITS;

        /** Returns {@code true} if two independent tenures can hold one name in these modes at once. */
        public boolean isCompatibleWith(Mode other) {
            return this == READ && other == READ;
        }
    }

    /** The whole of a lock. */
    public static final Share LOCK = of(Mode.LOCK);

    /** A read/write lock for writing. */
    public static final Share WRITE = of(Mode.WRITE);

    /** A read/write lock for reading. */
    public static final Share READ = of(Mode.READ);

    /** Returns a share of the given mode, without permits. */
    public static Share of(Mode mode) {
        return new Share(mode, 0, Optional.empty());
    }

    /** Returns a share of the given number of permits of a semaphore. */
    public static Share permits(int count) {
        return new Share(Mode.PERMITS, count, Optional.empty());
    }

    /** Returns a share of all free permits of a semaphore. */
    public static Share freePermits() {
        return of(Mode.PERMITS);
    }

    /** Returns a copy of this share that does not conflict with the given tenure. */
    public Share beside(TenureId tenure) {
        return new Share(mode, permits, Optional.of(tenure));
    }
}
