package io.holdfast.benchmarks.work;

import java.util.concurrent.atomic.LongAdder;

/** Counts violations of mutual exclusion, across all processes. */
final class Referee {

    static final Runnable NOTHING = () -> {};

    private static final int INSIDE = 0;

    // a writer weighs more than all readers together
    private static final int WRITER = 1 << 16;

    private final Board board;
    private final LongAdder violations = new LongAdder();

    Referee(Board board) {
        this.board = board;
    }

    /** Enters and leaves as a single owner. */
    void alone() {
        inside(WRITER, 0, NOTHING);
    }

    /** Enters and leaves as a reader. */
    void reading() {
        inside(1, WRITER - 1, NOTHING);
    }

    /** Enters as one of at most that many owners, runs the work, and leaves. */
    void among(int permits, Runnable work) {
        inside(1, permits - 1, work);
    }

    private void inside(int weight, int most, Runnable work) {
        if (board.add(INSIDE, weight) > most) {
            violations.increment();
        }
        work.run();
        board.add(INSIDE, -weight);
    }

    long takeViolations() {
        return violations.sumThenReset();
    }
}
