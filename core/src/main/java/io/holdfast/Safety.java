package io.holdfast;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The durability level of a grant: the replicas and disks that must have stored it before the client may use it, so that it
 * survives the failure of a server.
 *
 * <p>A server may answer before its replicas have a grant. If it then fails, the grant may be lost, and the server that takes
 * over grants the lock again. The first holder is notified and has the lower token, but for a moment both owners act. With
 * replicas such a moment is less likely, but not impossible: the server that takes over may be a replica that was not required
 * to have the grant. A server that answers before its disk has the grant may also forget it at a restart.
 *
 * <p>A grant must be stored as required within three tenths of the command timeout. Otherwise, the client releases it, so that
 * others can acquire the lock, and requests it again behind the waiters. This continues within the caller's time. It ends
 * earlier, with {@link IndeterminateLockException}, after the command timeout if the store had not answered the caller before.
 * If the store had answered, it ends after {@code maxOutage}. A hold whose renewals are not stored as required is lost when its
 * validity ends.
 *
 * <p>If fewer replicas are connected to the server than required, {@code build()} throws {@link StoreRefusedException}, which
 * states their number. In a cluster, it does so if no master has enough replicas. If only some masters have too few, it logs a
 * warning. A server that a client already uses may lack replicas for a moment, for example after a failover. If this lasts for
 * 10 s, each acquire and each wait fails with the same exception until the replicas are back. Existing holds are still renewed,
 * or lost when their validity ends. The number of connected replicas is checked once per command timeout.
 *
 * @param replicas the number of replicas that must have each grant and each renewal; 0 for none
 * @param onDisk {@code true} if the server and these replicas must have it on their disks, not only in memory
 */
public record Safety(int replicas, boolean onDisk) {

    private static final Safety ASYNC = new Safety(0, false);
    private static final Safety DURABLE = new Safety(0, true);
    private static final int MOST = 100;
    private static final Pattern COUNTED = Pattern.compile("(replicated|durable)\\((\\d{1,6})\\)");

    /**
     * Checks the number.
     *
     * @throws IllegalArgumentException if the number is not between 0 and 100
     */
    public Safety {
        if (replicas < 0 || replicas > MOST) {
            throw new IllegalArgumentException("replicas " + replicas + " is out of range: 0 to " + MOST);
        }
    }

    /** Returns the level of the server alone, without requirements for its disk and its replicas. This is the default. */
    public static Safety async() {
        return ASYNC;
    }

    /**
     * Returns the level of the server and the given number of replicas, in memory.
     *
     * @throws IllegalArgumentException if the number is not between 1 and 100
     */
    public static Safety replicated(int replicas) {
        return new Safety(atLeastOne(replicas, "async()"), false);
    }

    /**
     * Returns the level of the server's disk, without requirements for its replicas. The server then knows its grants after a
     * restart.
     *
     * <p>Redis supports this level from version 7.2 on, with {@code appendonly yes} and {@code appendfsync always}. With a
     * server that is older or configured differently, {@code build()} throws {@link StoreRefusedException}. If the setting
     * changes later, acquires throw it. If the user may not read {@code appendfsync}, it is assumed to be {@code always}.
     */
    public static Safety durable() {
        return DURABLE;
    }

    /**
     * Returns the level of the disks of the server and of the given number of replicas.
     *
     * @throws IllegalArgumentException if the number is not between 1 and 100
     */
    public static Safety durable(int replicas) {
        return new Safety(atLeastOne(replicas, "durable()"), true);
    }

    /**
     * Returns the level of a text form, as in {@link #toString}.
     *
     * @throws IllegalArgumentException if the text is not such a form, or if the number is not between 1 and 100
     */
    public static Safety parse(String text) {
        Matcher counted = COUNTED.matcher(text);
        if (counted.matches()) {
            int replicas = Integer.parseInt(counted.group(2));
            return counted.group(1).equals("durable") ? durable(replicas) : replicated(replicas);
        }
        return switch (text) {
            case "async" -> ASYNC;
            case "durable" -> DURABLE;
            default ->
                throw new IllegalArgumentException(
                        "it must be async, durable, or replicated(n) or durable(n) with a number of replicas");
        };
    }

    private static int atLeastOne(int replicas, String none) {
        if (replicas == 0) {
            throw new IllegalArgumentException("replicas 0: pass at least 1, or use " + none);
        }
        return replicas;
    }

    /**
     * Returns the text form for configuration files: {@code async}, {@code replicated(2)}, {@code durable} or
     * {@code durable(1)}.
     */
    @Override
    public String toString() {
        String level = onDisk ? "durable" : replicas == 0 ? "async" : "replicated";
        return replicas == 0 ? level : level + "(" + replicas + ")";
    }
}
