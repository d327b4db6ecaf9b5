package io.holdfast.interop;

import io.holdfast.testkit.check.HistoryChecker;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/** What all processes have held, by the time it began. */
final class SoakHistory {

    /** One hold. Times are in nanoseconds; the token is 0 for a kind that has none. */
    record Held(Kind kind, String name, boolean reads, long token, long wanted, long start, long released) {

        static Held read(String line) {
            String[] parts = line.split(" ", 7);
            return new Held(
                    Kind.valueOf(parts[0]),
                    parts[1],
                    Boolean.parseBoolean(parts[2]),
                    Long.parseLong(parts[3]),
                    Long.parseLong(parts[4]),
                    Long.parseLong(parts[5]),
                    Long.parseLong(parts[6]));
        }

        void noteIn(HistoryChecker history, String owner, long order) {
            (reads ? history.grantedToRead(name, owner, order, start) : history.granted(name, owner, order, start))
                    .released(released);
        }

        @Override
        public String toString() {
            return kind.name() + ' ' + name + ' ' + reads + ' ' + token + ' ' + wanted + ' ' + start + ' ' + released;
        }
    }

    private final List<Held> holds;

    private SoakHistory(List<Held> holds) {
        this.holds = holds;
    }

    static SoakHistory of(List<CompletableFuture<List<String>>> lines) {
        return new SoakHistory(lines.stream()
                .flatMap(one -> one.join().stream())
                .map(Held::read)
                .sorted(Comparator.comparingLong(Held::start))
                .toList());
    }

    long holdsOf(Kind kind) {
        return holds.stream().filter(held -> held.kind() == kind).count();
    }

    /** No two holds of a name at once, unless both read; and the tokens of Holdfast's rise. */
    void check() {
        HistoryChecker all = new HistoryChecker();
        HistoryChecker ours = new HistoryChecker();
        long order = 0;
        for (Held held : holds) {
            held.noteIn(all, held.kind().toString(), ++order);
            if (held.kind() == Kind.HOLDFAST) {
                held.noteIn(ours, "", held.token());
            }
        }
        all.check(Long.MAX_VALUE);
        ours.check(Long.MAX_VALUE);
    }

    /** The longest time for which a name was held by nobody, although somebody was waiting who later got it. */
    Duration longestStall() {
        Map<String, List<Held>> byName = holds.stream().collect(Collectors.groupingBy(Held::name));
        return Duration.ofNanos(
                byName.values().stream().mapToLong(SoakHistory::stall).max().orElse(0));
    }

    private static long stall(List<Held> ofName) {
        long longest = 0;
        long wanted = Long.MAX_VALUE;
        long[] freeAfter = freeAfter(ofName);
        for (int i = ofName.size() - 1; i >= 0; i--) {
            Held held = ofName.get(i);
            wanted = Math.min(wanted, held.wanted());
            long freeSince = i == 0 ? held.wanted() : Math.max(wanted, freeAfter[i - 1]);
            longest = Math.max(longest, held.start() - freeSince);
        }
        return longest;
    }

    /** For each hold when the last of all until then was released. */
    private static long[] freeAfter(List<Held> ofName) {
        long[] released = ofName.stream().mapToLong(Held::released).toArray();
        Arrays.parallelPrefix(released, Math::max);
        return released;
    }

    private Duration longestWait(Kind kind) {
        return Duration.ofNanos(holds.stream()
                .filter(held -> held.kind() == kind)
                .mapToLong(held -> held.start() - held.wanted())
                .max()
                .orElse(0));
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (Kind kind : Kind.values()) {
            text.append(kind)
                    .append(": ")
                    .append(holdsOf(kind))
                    .append(" holds, longest wait ")
                    .append(longestWait(kind).toMillis())
                    .append(" ms; ");
        }
        return text + "longest stall " + longestStall().toMillis() + " ms";
    }
}
