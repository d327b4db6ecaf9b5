package io.holdfast.internal.slot;

import io.holdfast.spi.TokenBlock;
import org.jspecify.annotations.Nullable;

/**
 * The fencing tokens of one tenure: the current block, and one spare block. Guarded by the mutex of the tenure's slot, except
 * for volatile fields.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>Each token that is taken is higher than all tokens taken before, and above the floor.
 *   <li>A block that is lower than an earlier one is ignored, because its reply was overtaken.
 * </ol>
 */
public final class TokenSupply {

    private static final long LOW_WATER = 512;
    private static final int FIRST_REFILL = 16 * 1024;
    private static final int LARGEST_REFILL = 4096 * 1024;

    /** Set if each owner takes a token of its own. Otherwise, all share the first one. */
    private final boolean perOwner;

    /** The number of tokens to request. */
    public int requestSize = 1;

    private long next;
    private long last = -1;
    private @Nullable TokenBlock spare;
    private long used;

    /** The token floor: no token up to it is used, here or, after the next renewal, by the store. */
    private volatile long floor;

    TokenSupply(boolean each) {
        this.perOwner = each;
    }

    /**
     * Replaces all tokens by those of a grant, unless a higher block was adopted already. Between two grants to one tenure, its
     * lease may have ended, and other clients may have received higher tokens than the older block.
     */
    void adopt(TokenBlock block) {
        if (block.first() > highest()) {
            next = Math.max(block.first(), floor + 1);
            last = block.last();
            spare = null;
        }
    }

    /** Adds further tokens to a tenure that was held continuously. They are used after the present ones. */
    void refill(TokenBlock block) {
        if (next > last) {
            adopt(block);
        } else if (block.first() > highest()) {
            spare = block;
        }
    }

    /** Returns the highest token that the store has issued, as far as known; negative if none is. */
    long highest() {
        return spare == null ? last : spare.last();
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
     * Raises the token floor. No token up to the given one is used here from now on, nor by other clients after the next
     * renewal.
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

    /** Returns {@code true} if few tokens are left. */
    public boolean low() {
        boolean few = last - next < Math.max(requestSize / 2, LOW_WATER);
        return perOwner && spare == null && few;
    }

    void requestMore() {
        if (perOwner) {
            requestSize = Math.min(Math.max(requestSize * 4, FIRST_REFILL), LARGEST_REFILL);
        }
    }

    /** Returns the highest token used; 0 if only one was requested, or if the floor was raised. */
    long highestUsed() {
        return requestSize > 1 && floor == 0 ? used : 0;
    }
}
