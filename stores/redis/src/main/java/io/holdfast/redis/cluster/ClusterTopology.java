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
 * @param sound whether it takes the cluster for one that works
 * @param epoch rises with each failover, and when a slot has moved; who knows of a later one mostly knows better
 */
record ClusterTopology(boolean sound, long epoch, List<Range> ranges) {

    private static final Pattern EPOCH = Pattern.compile("cluster_current_epoch:(\\d+)");

    /** A master; a server that was wiped comes back as another one. */
    record Node(String id, String host, int port) {

        boolean isAt(String otherHost, int otherPort) {
            return host.equals(otherHost) && port == otherPort;
        }
    }

    /** Slots in a row, and who keeps them. */
    record Range(int from, int to, Node master) {}

    /**
     * Whom to believe, of several. A node of another cluster has no master in common with what was known before; one that was cut
     * off may have raised its epoch by elections that it did not win; one that was removed, or has just been met, knows of no slots.
     *
     * @param known the ids of the masters that were known before
     */
    static Comparator<ClusterTopology> latest(Set<String> known) {
        return Comparator.comparing((ClusterTopology topology) -> topology.isOf(known))
                .thenComparing(ClusterTopology::sound)
                .thenComparingLong(ClusterTopology::epoch)
                .thenComparingInt(ClusterTopology::covered);
    }

    /** Whether it knows one of these masters, or there are none. */
    boolean isOf(Set<String> known) {
        Set<String> ids = new HashSet<>(known);
        ranges.forEach(range -> ids.remove(range.master().id()));
        return known.isEmpty() || ids.size() < known.size();
    }

    /** How many slots have a master. */
    int covered() {
        return ranges.stream().mapToInt(range -> range.to() - range.from() + 1).sum();
    }

    /**
     * From the answers to CLUSTER INFO and CLUSTER SLOTS.
     *
     * @param host where it was asked; a node may not know by which name it is called
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
