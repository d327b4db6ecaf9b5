package io.holdfast.internal.engine;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.LockEvent;
import io.holdfast.spi.Platform;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The warnings about locks, summarized. Events of one kind that happen to many locks within a moment share one line, which
 * names the first locks. Lines of one kind are at least 10 s apart, except at the close.
 *
 * <p>While events of a kind are pending, a timer that writes their line is scheduled. The first event schedules it, and later
 * events join the line. If the timer fails, the events stay pending, and the next event or the close writes them.
 */
final class Warnings {

    private static final long GATHER_NANOS = 100_000_000;
    private static final long INTERVAL_NANOS = 10_000_000_000L;
    private static final int NAMES = 5;

    /**
     * The warnings of one kind that are not written yet.
     *
     * @param first the sentence about the first event
     * @param summary what happened to all
     * @param advice the end of the line, which says what to do
     * @param names the names of the first locks
     * @param count the number of events
     */
    private record Pending(String first, String summary, String advice, List<String> names, int count) {

        Pending plus(Pending next) {
            List<String> more = Stream.concat(names.stream(), next.names.stream())
                    .distinct()
                    .limit(NAMES)
                    .toList();
            return new Pending(first, summary, advice, more, count + next.count);
        }

        String text() {
            String shown = names.stream().map(name -> quoted(name)).collect(Collectors.joining(", "));
            String all = count == 1 ? "" : count + " " + summary + ", among them " + shown + "; the first: ";
            return all + first + "; " + advice;
        }
    }

    private final Platform platform;
    private final Platform.Timer timer;
    private final Consumer<String> writer;
    private final Map<String, Pending> pending = new ConcurrentHashMap<>();
    private final Set<String> scheduled = ConcurrentHashMap.newKeySet();
    private final Map<String, Long> written = new ConcurrentHashMap<>();

    /**
     * Creates an empty summary.
     *
     * @param writer writes a line, and never blocks
     */
    Warnings(Platform platform, Platform.Timer timer, Consumer<String> writer) {
        this.platform = platform;
        this.timer = timer;
        this.writer = writer;
    }

    void add(String kind, LockEvent event, String first, String summary, String advice) {
        Pending one = new Pending(first, summary, advice, List.of(event.name()), 1);
        pending.merge(kind, one, Pending::plus);
        if (scheduled.add(kind)) {
            try {
                long now = platform.nanoTime();
                long since = now - written.getOrDefault(kind, now - INTERVAL_NANOS);
                timer.schedule(Math.max(GATHER_NANOS, INTERVAL_NANOS - since), () -> write(kind));
            } catch (Throwable e) {
                // lost wake-up: no timer will write this line, so the next event has to schedule one
                scheduled.remove(kind);
                throw e;
            }
        }
    }

    private void write(String kind) {
        // first: an event that is added from here on schedules a line of its own
        scheduled.remove(kind);
        Pending all = pending.remove(kind);
        if (all != null) {
            written.put(kind, platform.nanoTime());
            writer.accept(all.text());
        }
    }

    /** Writes all pending lines. */
    void flush() {
        pending.keySet().forEach(this::write);
    }
}
