package io.holdfast.testkit;

import static io.holdfast.spi.Names.quoted;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The diagnosis of a simulation: the log, and failures that show the end of the log and the seed. */
final class Diagnosis {

    private static final int TAIL = 60;

    private final long seed;
    private final SimulationLog log = new SimulationLog();
    private @Nullable AssertionError first;

    Diagnosis(long seed) {
        this.seed = seed;
    }

    void log(long at, String who, String what) {
        log.add(at, who, what);
    }

    List<String> log() {
        return log.all();
    }

    AssertionError failed(String what, @Nullable Throwable cause) {
        return new AssertionError(what + "\nseed " + seed + ", the last events:\n" + log.tail(TAIL), cause);
    }

    /** Keeps the first failure, which is thrown where the test sees it. */
    void fail(String what, Throwable cause) {
        if (first == null) {
            first = failed(what + ": " + cause, cause);
        }
    }

    boolean hasFailed() {
        return first != null;
    }

    void rethrow() {
        AssertionError thrown = first;
        first = null;
        if (thrown != null) {
            throw thrown;
        }
    }

    /** Returns the error for a stuck thread. It is called without the turn, so the thread in the stack trace may be running. */
    AssertionError stuck(Participant suspect) {
        IllegalStateException place = new IllegalStateException("where it is");
        place.setStackTrace(suspect.thread().getStackTrace());
        return new AssertionError(
                "thread " + quoted(suspect.name()) + " has the turn and does not give it back: it blocks outside of"
                        + " Platform.park, or does not end; seed " + seed,
                place);
    }

    IllegalStateException wrongThread(Participant expected) {
        return new IllegalStateException(
                "thread " + quoted(Thread.currentThread().getName()) + " is not the one that has the turn ("
                        + quoted(expected.name()) + "); seed " + seed);
    }
}
