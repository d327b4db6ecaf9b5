package io.holdfast.benchmarks.work;

import java.util.concurrent.atomic.LongAdder;

/** Counts how often somebody was inside who should not have been; for all processes at once. */
final class Referee {

    static final Runnable NOTHING = () -> {};

    private static final int INSIDE = 0;

    // a writer counts as more than there can be readers
    private static final int WRITER = 1 << 16;

    private final Board board;
    private final LongAdder violations = new LongAdder();

    Referee(Board board) {
        this.board = board;
    }

    /** Somebody who should be alone. */
    void alone() {
        inside(WRITER, 0, NOTHING);
    }

    /** Somebody who should be there with readers only. */
    void reading() {
        inside(1, WRITER - 1, NOTHING);
    }

    /** Somebody who should be there with so many in all, and stays for that work. */
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
