package io.holdfast;

/**
 * Where a grant has to be before it counts, so that it outlives the failure of a server.
 *
 * <p>A server that answers before its replicas have what it did may take a grant with it when it fails: the one that takes its
 * place grants the lock again. The first holder is told then, and its token is the lower one, but for a moment both act.
 * With replicas that moment is rarer, not impossible: the one that takes over may be one that was not asked for. A server that
 * answers before its disk has what it did may do the same when it is started again.
 *
 * <p>A grant that is not where it has to be within three tenths of the command timeout is given back, so that others may have the
 * lock, and is asked for again behind those who wait. This goes on for the caller's time. It ends earlier, with
 * {@link IndeterminateLockException}, after the command timeout if the store had not answered the caller before, and otherwise
 * after {@code maxOutage}. A hold whose renewals do not get there is lost at its deadline.
 *
 * <p>If fewer replicas are connected to the server than are wanted, {@code build()} throws {@link StoreRefusedException}, which says
 * how many there are. In a cluster it does so if no master has enough, and otherwise logs a warning. A server that a client uses
 * already may lack replicas for a moment, for example after a failover. If that lasts for 10 s, each acquire and each wait fails with
 * the same exception, until replicas are back; holds are still renewed, or lost at their deadlines. The server is asked once in a
 * command timeout.
 *
 * @param replicas that must have each grant and each renewal; 0 for none
 * @param onDisk whether the server and these replicas must have it on their disks, not only in memory
 */
public record Safety(int replicas, boolean onDisk) {

    private static final Safety ASYNC = new Safety(0, false);
    private static final Safety DURABLE = new Safety(0, true);
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

    /** The server alone, whatever its disk and its replicas have: the default. */
    public static Safety async() {
        return ASYNC;
    }

    /**
     * So many replicas, too, in their memory.
     *
     * @throws IllegalArgumentException if it is not between 1 and 100
     */
    public static Safety replicated(int replicas) {
        return new Safety(atLeastOne(replicas, "async()"), false);
    }

    /**
     * The disk of the server, whatever its replicas have: what it granted, it knows when it is started again. With Redis that is
     * from 7.2 on, with {@code appendonly yes} and {@code appendfsync always}; what another server grants is refused.
     */
    public static Safety durable() {
        return DURABLE;
    }

    /**
     * The disk of the server and those of so many replicas.
     *
     * @throws IllegalArgumentException if it is not between 1 and 100
     */
    public static Safety durable(int replicas) {
        return new Safety(atLeastOne(replicas, "durable()"), true);
    }

    private static int atLeastOne(int replicas, String none) {
        if (replicas == 0) {
            throw new IllegalArgumentException("replicas 0: for none there is " + none);
        }
        return replicas;
    }

    /** As it is written in files of options: {@code async}, {@code replicated(2)}, {@code durable} or {@code durable(1)}. */
    @Override
    public String toString() {
        String level = onDisk ? "durable" : replicas == 0 ? "async" : "replicated";
        return replicas == 0 ? level : level + "(" + replicas + ")";
    }
}
