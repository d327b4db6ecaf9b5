package io.holdfast.testkit.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/**
 * A history of holds, and a check of it. All times are nanoseconds of one clock.
 *
 * <p>A hold counts as valid from its grant until it was released, its loss was reported, or its validity ended, whichever came
 * first. There are three kinds of violations:
 * <ul>
 *   <li>two holds of a name that are valid at the same time, unless both read;
 *   <li>a token that is not above all tokens granted for the name before, except between two readers;
 *   <li>a hold whose validity ended before its release, and whose owner was not notified by then.
 * </ul>
 */
public final class HistoryChecker {

    private static final long NEVER = Long.MAX_VALUE;

    private final ReentrantLock mutex = new ReentrantLock();
    private final List<Hold> holds = new ArrayList<>();

    /** The kind of a violation. */
    public enum Kind {
        /** Two valid holds at the same time. */
        OVERLAP,
        /** A token that did not rise. */
        TOKEN,
        /** A hold that ended without its owner being notified. */
        SILENT_LOSS
    }

    /** A violation. */
    public record Violation(Kind kind, String text) {

        @Override
        public String toString() {
            return kind + ": " + text;
        }
    }

    /** One hold, whose owner reports its further course. */
    public final class Hold {

        private final String name;
        private final String owner;
        private final long token;
        private final long start;
        private final boolean reads;
        private long released = NEVER;
        private long lost = NEVER;
        private long validUntil = NEVER;

        private Hold(String name, String owner, long token, long start, boolean reads) {
            this.name = name;
            this.owner = owner;
            this.token = token;
            this.start = start;
            this.reads = reads;
        }

        /** Reports the end of the validity, if the hold is not renewed. The latest report counts. */
        public void validUntil(long at) {
            locked(() -> validUntil = validUntil == NEVER ? at : Math.max(validUntil, at));
        }

        /** Reports that the owner released the hold, or began to. */
        public void released(long at) {
            locked(() -> released = Math.min(released, at));
        }

        /** Reports that the owner was notified of the loss. */
        public void lost(long at) {
            locked(() -> lost = Math.min(lost, at));
        }

        private long end() {
            return Math.min(validUntil, Math.min(released, lost));
        }

        private boolean isSilentlyLost(long now) {
            return validUntil < Math.min(now, Math.min(released, lost));
        }

        @Override
        public String toString() {
            return name + " by " + owner + ", token " + token + ", from " + start + told(" to ", end())
                    + told(", released at ", released) + told(", loss notified at ", lost)
                    + told(", valid until ", validUntil);
        }

        private static String told(String what, long at) {
            return at == NEVER ? "" : what + at;
        }
    }

    /** Creates an empty history. */
    public HistoryChecker() {}

    /** Records a grant. Grants of the same moment count in the order of these calls. */
    public Hold granted(String name, String owner, long token, long at) {
        return note(new Hold(name, owner, token, at, false));
    }

    /** Records a grant to read, beside other readers. */
    public Hold grantedToRead(String name, String owner, long token, long at) {
        return note(new Hold(name, owner, token, at, true));
    }

    private Hold note(Hold hold) {
        locked(() -> holds.add(hold));
        return hold;
    }

    /** Returns the number of recorded grants. */
    public int grants() {
        return copy().size();
    }

    /** Returns all violations, as seen at the given moment. */
    public List<Violation> violations(long now) {
        List<Violation> found = new ArrayList<>();
        mutex.lock();
        try {
            byName().values().forEach(ofName -> {
                findOverlaps(ofName, found);
                findTokens(ofName, found);
                findSilentLosses(ofName, now, found);
            });
            return found;
        } finally {
            mutex.unlock();
        }
    }

    /** Throws an {@link AssertionError} that shows all violations, if there are any. */
    public void check(long now) {
        List<Violation> found = violations(now);
        if (!found.isEmpty()) {
            throw new AssertionError(found.stream().map(Violation::toString).collect(Collectors.joining("\n")));
        }
    }

    private Map<String, List<Hold>> byName() {
        return holds.stream()
                .sorted(Comparator.comparingLong(hold -> hold.start))
                .collect(Collectors.groupingBy(hold -> hold.name, TreeMap::new, Collectors.toList()));
    }

    /** Sweeps over the holds by their start. A new hold can overlap only the one that ends last so far. */
    private static void findOverlaps(List<Hold> ofName, List<Violation> found) {
        Furthest end = new Furthest(Hold::end);
        for (Hold hold : ofName) {
            end.before(hold)
                    .filter(longest -> hold.start < longest.end() && hold.end() > hold.start)
                    .ifPresent(longest -> found.add(new Violation(Kind.OVERLAP, longest + "\n  and " + hold)));
            end.add(hold);
        }
    }

    private static void findTokens(List<Hold> ofName, List<Violation> found) {
        Furthest token = new Furthest(hold -> hold.token);
        for (Hold hold : ofName) {
            token.before(hold)
                    .filter(highest -> hold.token <= highest.token)
                    .ifPresent(highest -> found.add(new Violation(Kind.TOKEN, hold + "\n  after " + highest)));
            token.add(hold);
        }
    }

    /** The holds that end last so far: of all holds, and of those that exclude others. */
    private static final class Furthest {

        private final ToLongFunction<Hold> reach;
        private Optional<Hold> ofAll = Optional.empty();
        private Optional<Hold> ofWriters = Optional.empty();

        Furthest(ToLongFunction<Hold> reach) {
            this.reach = reach;
        }

        /** Returns the last one of those that conflict with the given hold. */
        Optional<Hold> before(Hold hold) {
            return hold.reads ? ofWriters : ofAll;
        }

        void add(Hold hold) {
            ofAll = further(ofAll, hold);
            ofWriters = hold.reads ? ofWriters : further(ofWriters, hold);
        }

        private Optional<Hold> further(Optional<Hold> before, Hold hold) {
            return before.filter(old -> reach.applyAsLong(old) >= reach.applyAsLong(hold))
                    .or(() -> Optional.of(hold));
        }
    }

    private static void findSilentLosses(List<Hold> ofName, long now, List<Violation> found) {
        ofName.stream()
                .filter(hold -> hold.isSilentlyLost(now))
                .forEach(hold -> found.add(new Violation(Kind.SILENT_LOSS, hold.toString())));
    }

    private List<Hold> copy() {
        List<Hold> all = new ArrayList<>();
        locked(() -> all.addAll(holds));
        return all;
    }

    private void locked(Runnable change) {
        mutex.lock();
        try {
            change.run();
        } finally {
            mutex.unlock();
        }
    }
}
