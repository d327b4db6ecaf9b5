package io.holdfast.testkit;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A real thread that takes part in a simulation. It runs only while it has the turn; whoever has the turn hands it over.
 *
 * <p>All but {@link #turn} is guarded by having the turn: the volatile write that gives it away publishes the rest.
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

    /** Whether it has something left to do. */
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

    /** The flag of an interrupted thread has to stay, as the scheduler looks at it; park does not wait while it is set. */
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

    /** Tells whether a park would return at once, and uses the permit up. */
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
