package io.holdfast.spi;

import java.util.Optional;

/**
 * The share of a name that a tenure holds: the whole name, or a part that other tenures may hold as well.
 *
 * @param mode the mode, which determines the modes with which the name can be shared
 * @param permits the number of permits of a semaphore, 0 for all free ones; 0 for a name that is not a semaphore
 * @param beside a tenure of the same owner that does not conflict: the writing tenure of a reader, or, for a writer, the tenure
 *     by which it reads and may write later
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
     * The kind of a name, and the way in which a tenure holds it. A name that is held in one mode is refused in a mode that
     * conflicts.
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
        public boolean goesWith(Mode other) {
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

    /** Returns {@code true} if a reader requests to write. */
    public boolean isUpgrade() {
        return mode == Mode.WRITE && beside.isPresent();
    }

    /** Returns a copy of this share that does not conflict with the given tenure. */
    public Share beside(TenureId tenure) {
        return new Share(mode, permits, Optional.of(tenure));
    }
}
