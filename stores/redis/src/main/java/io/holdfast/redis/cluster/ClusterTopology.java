package io.holdfast.redis.cluster;

import io.holdfast.redis.connection.Redirect;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The masters of a cluster and their slots, as one node knows them.
 *
 * @param sound {@code true} if the node considers the cluster healthy
 * @param epoch the current epoch, which rises with each failover and each moved slot; a later one is usually more reliable
 */
record ClusterTopology(boolean sound, long epoch, List<Range> ranges) {

    private static final Pattern EPOCH = Pattern.compile("cluster_current_epoch:(\\d+)");

    /** A master. A server that was wiped has another id. */
    record Node(String id, String host, int port) {

        boolean isAt(String otherHost, int otherPort) {
            return host.equals(otherHost) && port == otherPort;
        }
    }

    /** Consecutive slots, and their master. */
    record Range(int from, int to, Node master) {}

    /**
     * Returns the order of answers. The last answer in this order is adopted. These answers come first:
     *
     * <ul>
     *   <li>A node of another cluster has no master in common with the known ones.
     *   <li>A node that was partitioned may have raised its epoch by elections that it did not win.
     *   <li>A node that was removed, or has just joined, knows no slots.
     * </ul>
     *
     * @param known the ids of the known masters
     */
    static Comparator<ClusterTopology> latest(Set<String> known) {
        return Comparator.comparing((ClusterTopology topology) -> topology.isOf(known))
                .thenComparing(ClusterTopology::sound)
                .thenComparingLong(ClusterTopology::epoch)
                .thenComparingInt(ClusterTopology::covered);
    }

    /** Returns {@code true} if the answer has one of these masters, or if none is given. */
    boolean isOf(Set<String> known) {
        Set<String> ids = new HashSet<>(known);
        ranges.forEach(range -> ids.remove(range.master().id()));
        return known.isEmpty() || ids.size() < known.size();
    }

    /** Returns the number of slots that have a master. */
    int covered() {
        return ranges.stream().mapToInt(range -> range.to() - range.from() + 1).sum();
    }

    /**
     * Creates a topology from the answers to CLUSTER INFO and CLUSTER SLOTS.
     *
     * @param host the host of the node, which may not know its own name
     */
    static ClusterTopology of(String info, List<?> slots, String host) {
        Matcher epoch = EPOCH.matcher(info);
        List<Range> ranges = new ArrayList<>();
        for (Object each : slots) {
            List<?> range = (List<?>) each;
            List<?> master = (List<?>) range.get(2);
            Node node = new Node(
                    String.valueOf(master.get(2)),
                    Redirect.host(String.valueOf(master.get(0)), host),
                    number(master.get(1)));
            ranges.add(new Range(number(range.get(0)), number(range.get(1)), node));
        }
        long known = epoch.find() ? Long.parseLong(epoch.group(1)) : 0;
        return new ClusterTopology(info.contains("cluster_state:ok"), known, ranges);
    }

    private static int number(Object value) {
        return Math.toIntExact(((Number) value).longValue());
    }
}
