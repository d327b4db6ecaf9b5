package io.holdfast.spi;

import java.util.Optional;

/**
 * What a tenure has of a name: all of it, or a part that others may have, too.
 *
 * @param mode with whom the name can be shared
 * @param permits how many permits of a semaphore, 0 for all that are free; 0 for what is no semaphore
 * @param beside a tenure of the same owner that does not stand in the way: its writing tenure for one that reads, the one
 *     with which it reads and may write later for one that writes
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
        /** A read/write lock, held by one among those who read, who may write later. */
        UPGRADE,
        /** A semaphore, of which so many permits are held. Its name is another one than that of a lock. */
        PERMITS;

        /** Whether two who are strangers to each other can have one name in these modes at once. */
        public boolean goesWith(Mode other) {
            return this == READ ? other == READ || other == UPGRADE : this == UPGRADE && other == READ;
        }
    }

    /** All of a lock. */
    public static final Share LOCK = of(Mode.LOCK);

    /** A read/write lock for writing. */
    public static final Share WRITE = of(Mode.WRITE);

    /** A read/write lock for reading. */
    public static final Share READ = of(Mode.READ);

    /** A read/write lock for reading, and perhaps for writing later. */
    public static final Share UPGRADE = of(Mode.UPGRADE);

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

    /** Whether who reads would write. */
    public boolean isUpgrade() {
        return mode == Mode.WRITE && beside.isPresent();
    }

    /** The same, which that tenure does not hinder. */
    public Share beside(TenureId tenure) {
        return new Share(mode, permits, Optional.of(tenure));
    }
}
