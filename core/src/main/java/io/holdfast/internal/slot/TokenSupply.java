package io.holdfast.internal.slot;

import io.holdfast.spi.TokenBlock;
import org.jspecify.annotations.Nullable;

/**
 * The fencing tokens of one tenure: the block that its owners take tokens from, and one further block. Guarded by the mutex of
 * the tenure's slot, except for volatile fields.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>The tokens that are taken only rise, and are above the floor.
 *   <li>A block that is lower than one taken before adds nothing. Its answer was overtaken.
 * </ol>
 */
public final class TokenSupply {

    private static final long LOW_WATER = 512;
    private static final long FIRST_REFILL = 16 * 1024;
    private static final long LARGEST_REFILL = 4096 * 1024;

    /** Whether each owner takes a token of its own. Otherwise, all share the first one. */
    private final boolean perOwner;

    /** The number of tokens to ask for. */
    public long requestSize = 1;

    private long next;
    private long last = -1;
    private @Nullable TokenBlock spare;
    private long highest;
    private long used;

    /** The token floor. The store is asked to issue no token up to it any more, and none is used here. */
    private volatile long floor;

    TokenSupply(boolean each) {
        this.perOwner = each;
    }

    /**
     * Takes the tokens of a grant in place of all earlier ones, unless a higher block was taken already. Between two grants to
     * one tenure, its lease may have ended, and others may have received tokens above the older block.
     */
    void adopt(TokenBlock block) {
        if (block.first() > highest) {
            highest = block.last();
            next = Math.max(block.first(), floor + 1);
            last = block.last();
            spare = null;
        }
    }

    /** Takes further tokens of a tenure that was held without a break. They are used after those at hand. */
    void refill(TokenBlock block) {
        if (next > last) {
            adopt(block);
        } else if (block.first() > highest) {
            highest = block.last();
            spare = block;
        }
    }

    boolean available() {
        return next <= last || spare != null;
    }

    long take() {
        if (next > last && spare != null) {
            next = Math.max(spare.first(), floor + 1);
            last = spare.last();
            spare = null;
        }
        used = next++;
        return used;
    }

    /** Returns the token of all owners that share the tenure. */
    long first() {
        return next;
    }

    /**
     * Raises the token floor. No token up to the given one is used from now on, neither here nor, after the next renewal, by
     * others.
     */
    public boolean raiseFloor(long token) {
        floor = Math.max(floor, token);
        next = Math.max(next, floor + 1);
        spare = spare != null && spare.last() <= floor ? null : spare;
        return true;
    }

    public long floor() {
        return floor;
    }

    /** Returns {@code true} if the tokens at hand do not last for long at this rate. */
    public boolean low() {
        boolean few = last - next < Math.max(requestSize / 2, LOW_WATER);
        return perOwner && spare == null && few;
    }

    void requestMore() {
        if (perOwner) {
            requestSize = Math.min(Math.max(requestSize * 4, FIRST_REFILL), LARGEST_REFILL);
        }
    }

    /** Returns the highest token used; 0 if only one was asked for, or if the floor was raised. */
    long highestUsed() {
        return requestSize > 1 && floor == 0 ? used : 0;
    }
}
