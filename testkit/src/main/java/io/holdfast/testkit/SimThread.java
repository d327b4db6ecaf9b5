package io.holdfast.testkit;

import static io.holdfast.spi.Names.quoted;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A real thread in a simulation, started by {@link Simulation#start}. It runs when the seed chooses it. */
public final class SimThread extends Participant {

    private final Scheduler scheduler;
    private final Thread thread;
    private boolean done;
    private boolean failureSeen;
    private @Nullable Throwable failure;

    /** The body of a thread, which may throw any exception. */
    @FunctionalInterface
    public interface Body {

        /** Runs the body. */
        void run() throws Exception;
    }

    /** The error that unwinds a killed thread. It must not be caught. */
    static final class Killed extends Error {

        private static final long serialVersionUID = 1L;

        Killed(String name) {
            super("thread " + quoted(name) + " was killed by the simulation", null, false, false);
        }
    }

    SimThread(Scheduler scheduler, String name, Body body) {
        super(name);
        this.scheduler = scheduler;
        thread = new Thread(GROUP, () -> live(body), name);
        thread.setDaemon(true);
        thread.start();
    }

    private void live(Body body) {
        scheduler.begin(this);
        try {
            if (!isKilled()) {
                body.run();
            }
        } catch (Killed e) {
            scheduler.log("killed");
        } catch (Throwable e) {
            failure = e;
            scheduler.log("failed: " + e);
        }
        done = true;
        scheduler.leave(this);
    }

    @Override
    boolean isAtWork() {
        return true;
    }

    @Override
    Thread thread() {
        return thread;
    }

    /** Returns the real thread. */
    public Thread realThread() {
        return thread;
    }

    /** Interrupts the thread. */
    public void interrupt() {
        thread.interrupt();
    }

    /** Returns {@code true} if the thread has ended. */
    public boolean done() {
        return done;
    }

    /** Returns {@code true} if the thread waits in {@code Platform.park} and was not woken yet. */
    public boolean parked() {
        return !done && isParked();
    }

    /**
     * Returns the failure that ended the thread, if it did not return normally. The caller is expected to check it, so close
     * does not report it again.
     */
    public Optional<Throwable> failure() {
        failureSeen = true;
        return Optional.ofNullable(failure);
    }

    /** Lets the simulation run until the thread has ended. Throws the failure that ended the thread, if there was one. */
    public void join() {
        scheduler.waitUntil(this::done, "thread " + quoted(name()) + " to end");
        failure().ifPresent(e -> {
            throw new AssertionError("thread " + quoted(name()) + " failed: " + e, e);
        });
    }

    Optional<Throwable> unseenFailure() {
        return failureSeen ? Optional.empty() : Optional.ofNullable(failure);
    }
}
