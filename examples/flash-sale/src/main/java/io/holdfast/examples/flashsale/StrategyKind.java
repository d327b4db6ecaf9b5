package io.holdfast.examples.flashsale;

import io.holdfast.Holdfast;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The strategies, with their names on the command line. */
public enum StrategyKind {
    NONE("none", "no lock"),
    DECREMENT("decrement", "atomic decrement, stock checked before"),
    SETNX("setnx", "lock key without expiry"),
    SETNX_TTL("setnx-ttl", "lock key with expiry, deleted by any seller"),
    SETNX_OWNER("setnx-owner", "lock key with expiry, deleted by its owner, not renewed"),
    LOCK("lock", "one Holdfast lock"),
    FAIR("fair", "one fair Holdfast lock, first come, first served"),
    SEGMENTED("segmented", "stock on 8 shelves, a Holdfast lock each"),
    ALLOTMENT("allotment", "a share of the stock for each process, under a Holdfast lease");

    private final String label;
    private final String description;

    StrategyKind(String label, String description) {
        this.label = label;
        this.description = description;
    }

    /** Returns the name on the command line. */
    public String label() {
        return label;
    }

    /** Returns a short description. */
    public String description() {
        return description;
    }

    /** Returns {@code true} if the strategy guarantees that every item is sold once, whatever happens to sellers. */
    public boolean promisesExact() {
        return this == LOCK || this == FAIR || this == SEGMENTED || this == ALLOTMENT;
    }

    /** Returns {@code true} if only one seller at a time may be between check and write. */
    public boolean excludesAll() {
        return this != SEGMENTED && this != ALLOTMENT;
    }

    /** Returns {@code true} if the death of a seller ends the sale, because its lock key never expires. */
    public boolean endsByDeath() {
        return this == SETNX;
    }

    /**
     * Returns {@code true} if the locks must be in Redis, because the strategy needs a wait queue or keeps data beside the
     * stock.
     */
    public boolean needsRedis() {
        return switch (this) {
            case NONE, DECREMENT, LOCK, SEGMENTED -> false;
            case SETNX, SETNX_TTL, SETNX_OWNER, FAIR, ALLOTMENT -> true;
        };
    }

    /** Returns the number of shelves. */
    int shelves() {
        return this == SEGMENTED ? Keys.SHELVES : 1;
    }

    Strategy open(Job job) {
        return switch (this) {
            case NONE -> new NoLock();
            case DECREMENT -> new AtomicDecrement();
            case SETNX -> new SetNx(job);
            case SETNX_TTL -> new SetNxExpiring(job);
            case SETNX_OWNER -> new SetNxOwned(job);
            case LOCK -> new HoldfastLock(job, Holdfast::lock);
            case FAIR -> new HoldfastLock(job, Holdfast::fairLock);
            case SEGMENTED -> new Segmented(job);
            case ALLOTMENT -> new Allotment(job);
        };
    }

    /** Returns the strategy of that name. */
    public static Optional<StrategyKind> of(String label) {
        return Arrays.stream(values()).filter(kind -> kind.label.equals(label)).findFirst();
    }

    /** Returns all names. */
    public static List<String> labels() {
        return Arrays.stream(values()).map(StrategyKind::label).toList();
    }
}
