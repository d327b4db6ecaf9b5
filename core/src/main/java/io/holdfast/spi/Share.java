package io.holdfast.spi;

import java.util.Optional;

/**
 * The share of a name that a tenure holds: the whole name, or a part of it while other tenures hold other parts.
 *
 * @param mode the mode, which determines with which other modes the name can be shared
 * @param permits the number of permits of a semaphore, 0 for all free ones; 0 for a name that is not a semaphore
 * @param beside a tenure of the same owner that does not conflict with this share. For a reader it is the tenure by which the
 *     owner writes. For a writer it is the tenure by which the owner reads and may write later
 */
public record Share(Mode mode, int permits, Optional<TenureId> beside) {

    /**
     * Checks the number of permits.
     *
     * @throws IllegalArgumentException if it is negative
     */
    public Share {
        if (permits < 0) {
            throw new IllegalArgumentException("no number of permits: " + permits);
        }
    }

    /**
     * The kind of a name, and the way in which a tenure holds it. A name that is held in one mode is refused in a conflicting
     * mode. {@link #READ}, {@link #UPGRADE} and {@link #WRITE} are the shared, the update and the exclusive lock of databases.
     */
    public enum Mode {
        /** A lock, held by one tenure. */
        LOCK,
        /** A read/write lock, held by one writer. */
        WRITE,
        /** A read/write lock, held by readers. */
        READ,
        /** A read/write lock, held by the one reader that may write later. */
        UPGRADE,
        /** A semaphore of which a number of permits is held. Its name is independent of that of a lock. */
        PERMITS;

        /** Returns {@code true} if two independent tenures can hold one name in these modes at once. */
        public boolean isCompatibleWith(Mode other) {
            return this == READ ? other == READ || other == UPGRADE : this == UPGRADE && other == READ;
        }
    }

    /** The whole of a lock. */
    public static final Share LOCK = of(Mode.LOCK);

    /** A read/write lock for writing. */
    public static final Share WRITE = of(Mode.WRITE);

    /** A read/write lock for reading. */
    public static final Share READ = of(Mode.READ);

    /** A read/write lock for reading, and possibly for writing later. */
    public static final Share UPGRADE = of(Mode.UPGRADE);

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

    /** Returns {@code true} if this is the share of a writer that also holds the name as a reader that may write later. */
    public boolean isUpgrade() {
        return mode == Mode.WRITE && beside.isPresent();
    }

    /** Returns a copy of this share that does not conflict with the given tenure. */
    public Share beside(TenureId tenure) {
        return new Share(mode, permits, Optional.of(tenure));
    }
}
