package io.holdfast.cli.exec;

import io.holdfast.HoldfastException;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * One run of the command under a lease.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>The command starts only after the guard knows for how long it may run.
 *   <li>The guard is notified of each renewal. While the lease is lost or in doubt, the guard gets no new time limit, and the
 *       last one applies.
 *   <li>Events are handled one at a time, by the thread that runs {@link #untilTheEnd}.
 * </ol>
 *
 * <p>The run lasts until the command, and all processes that were signaled together with it, have ended.
 */
final class Run {

    /** The least change that counts as a renewal; a smaller one comes from the resolution of the clock. */
    private static final long NEWS_MILLIS = 50;

    private static final long KILL_AGAIN_MILLIS = 10;

    private final Lease lease;
    private final Plan plan;
    private final BlockingQueue<Event> events;
    private final Consumer<String> say;
    private final Process command;
    private final String mark;
    private Guard guard;
    private long latestEnd;
    private Times times = new Times(0, 0, 0);
    private boolean asking;
    private boolean warned;
    private boolean lost;
    private boolean over;
    private boolean gone;

    /**
     * What a guard needs to know of the lock, by the {@link Clock}.
     *
     * @param kill the end of the time for which the command may run
     * @param warn the time of its TERM
     * @param until the end of the lock's validity
     */
    record Times(long kill, long warn, long until) {

        /** Returns the order to a guard. */
        String order() {
            return "valid " + kill + " " + warn + " " + until;
        }
    }

    /**
     * Starts the command, after the guard knows for how long it may run.
     *
     * @throws LeaseLostException if the lock is lost before the command starts
     * @throws io.holdfast.StoreUnavailableException if the store does not confirm that the lock is valid for long enough
     */
    Run(Lease lease, Plan plan, Guard guard, Launch launch, BlockingQueue<Event> events, Consumer<String> say)
            throws Launch.NotStarted {
        this.lease = lease;
        this.plan = plan;
        this.guard = guard;
        this.events = events;
        this.say = say;
        lease.ensureValid(plan.atLeast());
        tellValidity();
        lease.ensureValid(Duration.ZERO);
        this.mark = launch.mark();
        guard.expect(mark);
        if (!guard.isAlive()) {
            throw Launch.NotStarted.unguarded();
        }
        this.command = launch.start();
        guard.command(command.pid());
    }

    /** Handles events until nothing runs any more, and returns the exit code. */
    int untilTheEnd() throws InterruptedException {
        var unused = command.onExit().thenRun(() -> events.add(new Event.Ended()));
        lease.onLost(e -> events.add(new Event.Lost(e.getMessage() + "")));
        try {
            while (!gone) {
                tellValidity();
                Event event = events.poll(plan.tick(), TimeUnit.MILLISECONDS);
                if (event != null) {
                    take(event);
                }
            }
            return lost || warned ? ExitStatus.LOST : command.exitValue();
        } finally {
            killWhatIsLeft();
            guard.close();
        }
    }

    // ---- validity

    /**
     * Notifies the guard of a renewal. While the lease is lost or in doubt, the guard gets no new time limit, and the last one
     * applies.
     *
     * <p>Time passes between the two readings, so they only limit the end of the lease. The guard gets the earliest possible end.
     * A later look reports a renewal only if its earliest end is after the latest possible end of the look before. Otherwise, a
     * slow look followed by a fast one would count as a renewal.
     */
    private void tellValidity() {
        long before = Clock.millis();
        long left = lease.remainingLease().toMillis();
        long end = before + left;
        if (left > 0 && !lost && end > latestEnd + NEWS_MILLIS) {
            latestEnd = Clock.millis() + left;
            times = new Times(end - plan.lead(), end - plan.warn(), end);
            guard.valid(times);
            recover();
        }
        if (left < plan.grace() && plan.asksEarly() && !(asking || warned || lost || over)) {
            asking = true;
            startThread("renewal", this::confirm);
        }
    }

    private void recover() {
        if (warned) {
            warned = false;
            say.accept("the lock is renewed again; the command has received its TERM, and may run to its end");
        }
    }

    private void confirm() {
        try {
            lease.ensureValid(Duration.ofMillis(plan.grace()));
            events.add(new Event.Confirmed());
        } catch (HoldfastException | LeaseLostException e) {
            events.add(new Event.Unconfirmed(e.getMessage() + ""));
        }
    }

    static void startThread(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    // ---- events

    private void take(Event event) {
        if (event instanceof Event.Caught caught) {
            guard.signal(caught.signal());
        } else if (event instanceof Event.Ended) {
            over = true;
            guard.over();
        } else if (event instanceof Event.Lost loss) {
            lost = true;
            say.accept(loss.why());
            guard.kill();
        } else if (event instanceof Event.Confirmed) {
            asking = false;
        } else if (event instanceof Event.Unconfirmed doubt) {
            asking = false;
            guard.warn();
            warn(doubt.why());
        } else if (event instanceof Event.Said said && said.guard() == guard) {
            take(said.answer());
        } else if (event instanceof Event.GuardEnded ended && ended.guard() == guard) {
            replaceGuard();
        }
    }

    private void take(String answer) {
        switch (answer) {
            case "warned" -> {
                warn("no renewal was confirmed");
                // a renewal may have come between the TERM and this answer
                if (lease.remainingLease().toMillis() > plan.warn()) {
                    recover();
                }
            }
            case "killed" -> lost = true;
            default -> gone = true;
        }
    }

    private void warn(String why) {
        warned = true;
        say.accept("the command receives a TERM, and is killed before the lock ends: " + why);
    }

    /**
     * Replaces a guard that was killed. The new guard gets the last times, and the order to kill if the lock is lost. It cannot
     * find processes that were signaled before and are no longer descendants of the command.
     */
    private void replaceGuard() {
        if (over) {
            gone = true;
        } else if (guard.isUnusable()) {
            giveUp("bash ends at once");
        } else {
            try {
                guard = Guard.start(events::add);
                // the guard before may have ended before it sent the TERM, and two are better than none
                guard.takeOver(mark, command.pid(), times, warned, lost);
                say.accept("the guard was killed; another one has replaced it");
            } catch (IOException e) {
                giveUp(e.getMessage() + "");
            }
        }
    }

    private void giveUp(String why) {
        say.accept("the command is killed, because its guard cannot be replaced: " + why);
        lost = true;
        gone = true;
    }

    /** Kills the command and its descendants, and waits until they have ended, but not longer than the lock was valid. */
    private void killWhatIsLeft() throws InterruptedException {
        Set<ProcessHandle> left = new HashSet<>();
        do {
            Stream.concat(command.descendants(), Stream.of(command.toHandle())).forEach(left::add);
            left.removeIf(process -> !process.isAlive());
            left.forEach(ProcessHandle::destroyForcibly);
            Thread.sleep(left.isEmpty() ? 0 : KILL_AGAIN_MILLIS);
        } while (!left.isEmpty() && Clock.millis() < times.until());
    }
}
