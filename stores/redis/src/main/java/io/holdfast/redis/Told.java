package io.holdfast.redis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a node of a cluster tells of all its masters.
 *
 * @param epoch rises with each failover, and when a slot has moved; who knows of a later one knows better
 */
record Told(long epoch, List<Range> ranges) {

    static final Comparator<Told> LATEST = Comparator.comparingLong(Told::epoch);

    private static final Pattern EPOCH = Pattern.compile("cluster_current_epoch:(\\d+)");

    /** A master; a server that was wiped comes back as another one. */
    record Node(String id, String host, int port) {}

    /** Slots in a row, and who keeps them. */
    record Range(int from, int to, Node master) {}

    /**
     * From the answers to CLUSTER INFO and CLUSTER SLOTS.
     *
     * @param host where it was asked; a node may not know by which name it is called
     */
    static Told of(String info, List<?> slots, String host) {
        Matcher epoch = EPOCH.matcher(info);
        List<Range> ranges = new ArrayList<>();
        for (Object each : slots) {
            List<?> range = (List<?>) each;
            List<?> master = (List<?>) range.get(2);
            String named = String.valueOf(master.get(0));
            String place = named.isEmpty() || named.equals("?") || named.equals("null") ? host : named;
            Node node = new Node(String.valueOf(master.get(2)), place, number(master.get(1)));
            ranges.add(new Range(number(range.get(0)), number(range.get(1)), node));
        }
        return new Told(epoch.find() ? Long.parseLong(epoch.group(1)) : 0, ranges);
    }

    private static int number(Object value) {
        return Math.toIntExact(((Number) value).longValue());
    }
}
