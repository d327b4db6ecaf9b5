package io.holdfast.spi;

import java.util.Optional;

/**
 * What a tenure has of a name: all of it, or a part that others may have, too.
 *
 * @param mode with whom the name can be shared
 * @param permits how many permits of a semaphore, 0 for all that are free; 0 for what is no semaphore
 * @param beside a tenure of the same owner that does not stand in the way: its writing tenure for one that reads
 */
public record Share(Mode mode, int permits, Optional<TenureId> beside) {

    /** What a name is, and how a tenure has it. A name that is held in one way is refused in another that does not fit. */
    public enum Mode {
        /** A lock, held by one. */
        LOCK,
        /** A read/write lock, held by one who writes. */
        WRITE,
        /** A read/write lock, held by all who read. */
        READ,
        /** A semaphore, of which so many permits are held. Its name is another one than that of a lock. */
        PERMITS
    }

    /** All of a lock. */
    public static final Share LOCK = of(Mode.LOCK);

    /** A read/write lock for writing. */
    public static final Share WRITE = of(Mode.WRITE);

    /** A read/write lock for reading. */
    public static final Share READ = of(Mode.READ);

    /** A share of that mode, of no permits. */
    public static Share of(Mode mode) {
        return new Share(mode, 0, Optional.empty());
    }

    /** So many permits of a semaphore. */
    public static Share permits(int count) {
        return new Share(Mode.PERMITS, count, Optional.empty());
    }

    /** All permits of a semaphore that are free. */
    public static Share freePermits() {
        return of(Mode.PERMITS);
    }

    /** The same, which that tenure does not hinder. */
    public Share beside(TenureId tenure) {
        return new Share(mode, permits, Optional.of(tenure));
    }
}
