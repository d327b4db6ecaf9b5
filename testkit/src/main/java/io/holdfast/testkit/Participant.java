package io.holdfast.testkit;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A real thread that takes part in a simulation. It runs only while it has the turn. The thread that has the turn hands it
 * over.
 *
 * <p>All fields except {@link #turn} are guarded by the turn. The volatile write that hands the turn over publishes them.
 */
abstract class Participant implements Ready {

    static final ThreadGroup GROUP = new ThreadGroup("simulation");

    private final String name;
    private volatile boolean turn;

    private boolean parked;
    private boolean ready;
    private boolean permit;
    private boolean killed;
    private Agenda.@Nullable Entry timeout;

    Participant(String name) {
        this.name = name;
    }

    abstract Thread thread();

    /** Returns {@code true} if it has work left. */
    abstract boolean isAtWork();

    @Override
    public String name() {
        return name;
    }

    @Override
    public Participant take() {
        ready = false;
        return this;
    }

    final void giveTurn() {
        turn = true;
        LockSupport.unpark(thread());
    }

    /** Waits until it has the turn. */
    final void awaitTurn() {
        beginWaiting();
        while (!turn) {
            waitAWhile();
        }
        turn = false;
    }

    void beginWaiting() {}

    /**
     * Waits for a moment. The flag of an interrupted thread has to stay, because the scheduler reads it. A park does not wait
     * while it is set.
     */
    @SuppressWarnings("ThreadPriorityCheck")
    void waitAWhile() {
        if (thread().isInterrupted()) {
            Thread.yield();
        } else {
            LockSupport.park(this);
        }
    }

    final boolean isParked() {
        return parked && !ready;
    }

    final boolean isKilled() {
        return killed;
    }

    final void kill() {
        killed = true;
    }

    /** Returns {@code true} if a park would return at once, and uses up the permit. */
    final boolean mayPass() {
        if (permit) {
            permit = false;
            return true;
        }
        return thread().isInterrupted();
    }

    final void leavePermit() {
        permit = true;
    }

    final void markReady() {
        ready = true;
    }

    final void beginPark(Agenda.@Nullable Entry end) {
        parked = true;
        timeout = end;
    }

    final void endPark() {
        parked = false;
        if (timeout != null) {
            timeout.cancel();
            timeout = null;
        }
    }
}
