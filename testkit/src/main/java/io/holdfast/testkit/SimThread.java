package io.holdfast.testkit;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A real thread in a simulation, started by {@link Simulation#start}. It runs when the seed lets it. */
public final class SimThread extends Participant {

    private final Scheduler scheduler;
    private final Thread thread;
    private boolean done;
    private boolean failureSeen;
    private @Nullable Throwable failure;

    /** What a thread does; may throw anything. */
    @FunctionalInterface
    public interface Body {

        /** Does it. */
        void run() throws Exception;
    }

    /** Unwinds a killed thread. Not to be caught. */
    static final class Killed extends Error {

        private static final long serialVersionUID = 1L;

        Killed(String name) {
            super("thread '" + name + "' was killed by the simulation", null, false, false);
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

    /** The real thread. */
    public Thread realThread() {
        return thread;
    }

    /** Interrupts it. */
    public void interrupt() {
        thread.interrupt();
    }

    /** Whether it has ended. */
    public boolean done() {
        return done;
    }

    /** Whether it waits in {@code Platform.park}, and nothing has woken it yet. */
    public boolean parked() {
        return !done && isParked();
    }

    /** By what it ended, if it did not return. Whoever asks is expected to look at it: close does not report it again. */
    public Optional<Throwable> failure() {
        failureSeen = true;
        return Optional.ofNullable(failure);
    }

    /** Lets the simulation run until it has ended, and throws what it ended by, if it failed. */
    public void join() {
        scheduler.waitUntil(this::done, "thread '" + name() + "' to end");
        failure().ifPresent(e -> {
            throw new AssertionError("thread '" + name() + "' failed: " + e, e);
        });
    }

    Optional<Throwable> unseenFailure() {
        return failureSeen ? Optional.empty() : Optional.ofNullable(failure);
    }
}
