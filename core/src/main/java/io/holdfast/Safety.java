package io.holdfast;

/**
 * Where a grant has to be before it counts, so that it outlives the failure of a server.
 *
 * <p>A server that answers before its replicas have what it did may take a grant with it when it fails: the one that takes its
 * place grants the lock again. The first holder is told then, and its token is the lower one, but for a moment both act.
 * With replicas that moment is rarer, not impossible: the one that takes over may be one that was not asked for.
 *
 * @param replicas that must have each grant and each renewal; 0 for none
 */
public record Safety(int replicas) {

    private static final Safety ASYNC = new Safety(0);
    private static final int MOST = 100;

    /**
     * Checks the number.
     *
     * @throws IllegalArgumentException if it is not between 0 and 100
     */
    public Safety {
        if (replicas < 0 || replicas > MOST) {
            throw new IllegalArgumentException("replicas " + replicas + " is out of range: 0 to " + MOST);
        }
    }

    /** The server alone, whatever its replicas have: the default. */
    public static Safety async() {
        return ASYNC;
    }

    /**
     * So many replicas, too. What fewer have within two fifths of the command timeout is asked for again, as through an outage: for
     * the caller's time, but for no longer than the command timeout, or {@code maxOutage} for one that was in line before. Then
     * {@link IndeterminateLockException} says so, and the lock is released. A hold whose renewals they do not have is lost at
     * its deadline.
     *
     * @throws IllegalArgumentException if it is not between 1 and 100
     */
    public static Safety replicated(int replicas) {
        if (replicas == 0) {
            throw new IllegalArgumentException("replicas 0: for none there is async()");
        }
        return new Safety(replicas);
    }
}
