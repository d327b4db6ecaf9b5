package io.holdfast.spi;

/**
 * A request to give a name up; see {@link LockStore#release}.
 *
 * @param name the lock
 * @param tenure who gives it up; is never acquired again
 * @param yield whether to assign the name to the first waiting client, instead of freeing it and waking one
 * @param lastToken the highest token that was used, so that the store may take the rest of the block back; 0 to not care
 */
public record Release(String name, TenureId tenure, boolean yield, long lastToken) {

    /**
     * The answer.
     *
     * @param held whether the tenure held the name until this request
     * @param foreignWaiters how many other clients wait, as far as known
     * @param serverMicros the server's time
     */
    public record Reply(boolean held, int foreignWaiters, long serverMicros) {}
}
