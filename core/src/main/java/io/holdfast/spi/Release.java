package io.holdfast.spi;

import java.util.List;

/**
 * A request to give a name up; see {@link LockStore#release}.
 *
 * @param name the lock
 * @param tenure who gives it up; is never acquired again
 * @param mode how it holds the name, or waits for it
 * @param yield whether to assign the name to the first waiting client, instead of freeing it and waking one
 * @param lastToken the highest token that was used, so that the store may take the rest of the block back; 0 to not care,
 *     always if the tenure set a {@linkplain Renew#floor floor}
 * @param places further places of the same client to be withdrawn, since their owners were served otherwise
 */
public record Release(
        String name, TenureId tenure, Share.Mode mode, boolean yield, long lastToken, List<TenureId> places) {

    /** Copies the list. */
    public Release {
        places = List.copyOf(places);
    }

    /** A request to free a lock. */
    public static Release of(String name, TenureId tenure) {
        return new Release(name, tenure, Share.Mode.LOCK, false, 0, List.of());
    }

    /** The same for a name that is held in this way. */
    public Release withMode(Share.Mode value) {
        return new Release(name, tenure, value, yield, lastToken, places);
    }

    /** The same, assigning the name or not. */
    public Release withYield(boolean value) {
        return new Release(name, tenure, mode, value, lastToken, places);
    }

    /** The same, so that tokens after this one may be taken back. */
    public Release withLastToken(long value) {
        return new Release(name, tenure, mode, yield, value, places);
    }

    /** The same, withdrawing further places. */
    public Release withPlaces(List<TenureId> value) {
        return new Release(name, tenure, mode, yield, lastToken, value);
    }

    /**
     * The answer.
     *
     * @param held whether the tenure held the name until this request
     * @param foreignWaiters how many other clients wait, as far as known
     * @param serverMicros the server's time
     */
    public record Reply(boolean held, int foreignWaiters, long serverMicros) {}
}
