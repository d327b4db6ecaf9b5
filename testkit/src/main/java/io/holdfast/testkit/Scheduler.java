package io.holdfast.testkit;

import static io.holdfast.spi.Names.quoted;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides which thread runs, and when time passes.
 *
 * <p>Exactly one thread has the turn. It keeps the turn until it parks or ends. Then it chooses, by the seed, among all that
 * could run, and hands the turn over itself. A switch costs one handover, and none if it chooses itself. If nothing could run,
 * time passes to the next entry of the agenda. When the run is over, the turn goes to the controller. The controller is the
 * test's own thread, which takes part like any other while it is parked.
 *
 * <p>All state is guarded by the turn. Only the watchdog on the waiting controller reads it from outside.
 */
final class Scheduler {

    /** The way in which a run ended. */
    enum Outcome {
        /** The condition holds. */
        REACHED,
        /** The controller was parked and was chosen. */
        RESUMED,
        NOTHING_LEFT,
        TIME_UP,
        FAILED
    }

    static final long DAY = 86_400_000_000_000L;

    private static final int STEPS_AT_ONE_MOMENT = 1_000_000;

    final Agenda agenda = new Agenda();
    final Random random;
    final Diagnosis diagnosis;

    private final Controller controller = new Controller(this);
    private final List<Ready> ready = new ArrayList<>();
    private final List<Participant> alive = new ArrayList<>(List.of(controller));
    private final List<Wait> waits = new ArrayList<>();
    private final ArrayDeque<Carrier> idle = new ArrayDeque<>();
    private final AtomicLong steps = new AtomicLong();

    private int carriers;
    private double spuriousWakeups;
    private boolean running;
    private boolean closing;
    private BooleanSupplier reached = () -> false;
    private long limit;
    private long moment;
    private long stepsBeforeMoment;
    private volatile Participant current = controller;
    private @Nullable Outcome outcome;
    private @Nullable Thread dying;

    /** A thread that waits for a condition, instead of being unparked. */
    private record Wait(BooleanSupplier condition, Participant who) {}

    Scheduler(long seed) {
        diagnosis = new Diagnosis(seed);
        random = new Random(seed);
    }

    // the controller's side

    /** Runs until the condition holds, the time is reached, or nothing is left to do. */
    Outcome run(BooleanSupplier condition, long until) {
        if (current() != controller || running) {
            throw new IllegalStateException(
                    "only the test's own thread runs the simulation, and not from inside of it");
        }
        reached = condition;
        limit = until;
        running = true;
        outcome = null;
        try {
            passOn(controller);
        } finally {
            running = false;
        }
        diagnosis.rethrow();
        return outcome == null ? Outcome.RESUMED : outcome;
    }

    /** Runs, or parks, until the condition holds. */
    void waitUntil(BooleanSupplier condition, String what) {
        Participant me = current();
        if (condition.getAsBoolean()) {
            return;
        }
        if (me == controller) {
            if (run(condition, Agenda.plus(agenda.now(), DAY)) != Outcome.REACHED) {
                throw failed("timed out waiting for " + what);
            }
            return;
        }
        Wait wait = new Wait(condition, me);
        boolean interrupted = false;
        waits.add(wait);
        try {
            while (!condition.getAsBoolean()) {
                park(Long.MAX_VALUE);
                interrupted |= Thread.interrupted();
            }
        } finally {
            waits.remove(wait);
            if (interrupted) {
                me.thread().interrupt();
            }
        }
    }

    // parking

    void park(long nanos) {
        Participant me = current();
        refuseIfItMayNotPark(me);
        if (nanos <= 0) {
            return;
        }
        if (me.mayPass() || isSpurious()) {
            me.beginPark(null);
            wake(me);
        } else {
            me.beginPark(nanos == Long.MAX_VALUE ? null : agenda.after(nanos, () -> wake(me)));
        }
        try {
            giveWay(me);
        } finally {
            me.endPark();
        }
        throwIfKilled(me);
    }

    private void giveWay(Participant me) {
        if (me != controller) {
            passOn(me);
            return;
        }
        try {
            if (run(() -> false, Agenda.plus(agenda.now(), DAY)) != Outcome.RESUMED) {
                throw failed("the test's thread is parked, and nothing is left that could wake it");
            }
        } finally {
            ready.remove(me);
        }
    }

    private static void refuseIfItMayNotPark(Participant me) {
        throwIfKilled(me);
        if (me instanceof Carrier carrier && !carrier.mayPark()) {
            throw new IllegalStateException("a task of timer " + carrier.name() + " must not wait");
        }
    }

    private static void throwIfKilled(Participant me) {
        if (me.isKilled()) {
            throw new SimThread.Killed(me.name());
        }
    }

    private boolean isSpurious() {
        return spuriousWakeups > 0 && random.nextDouble() < spuriousWakeups;
    }

    void patience(long nanos) {
        controller.patience(nanos);
    }

    void spuriousWakeups(double probability) {
        spuriousWakeups = probability;
    }

    void unpark(Thread thread) {
        current();
        participant(thread).filter(each -> !wake(each)).ifPresent(Participant::leavePermit);
    }

    private boolean wake(Participant who) {
        boolean parked = who.isParked();
        if (parked) {
            who.markReady();
            ready.add(who);
        }
        return parked;
    }

    /** Returns the participant of a thread; empty if the thread has ended. */
    private Optional<Participant> participant(Thread thread) {
        for (Participant each : alive) {
            if (each.thread() == thread) {
                return Optional.of(each);
            }
        }
        if (thread.isAlive()) {
            throw new IllegalArgumentException("thread " + quoted(thread.getName()) + " is not part of the simulation");
        }
        return Optional.empty();
    }

    // threads

    SimThread start(String name, SimThread.Body body) {
        current();
        if (closing) {
            throw new IllegalStateException("the simulation is closed; thread " + quoted(name) + " cannot start");
        }
        SimThread thread = new SimThread(this, name, body);
        alive.add(thread);
        thread.markReady();
        ready.add(thread);
        return thread;
    }

    /** Unwinds the thread when it continues next, which is at once. */
    void kill(Participant thread) {
        Participant me = current();
        log("kill " + thread.name());
        thread.kill();
        wake(thread);
        throwIfKilled(me);
    }

    void addReady(Ready lane) {
        if (!closing) {
            ready.add(lane);
        }
    }

    boolean dropReady(Ready lane) {
        return ready.remove(lane);
    }

    /** Returns a carrier to run the task. It is the one that has the turn, if it is idle. */
    Carrier carrierFor(Carrier.LaneTask task) {
        Carrier carrier = idle.isEmpty() ? newCarrier() : idle.pop();
        return carrier.with(task);
    }

    private Carrier newCarrier() {
        Carrier carrier = new Carrier(this, ++carriers);
        alive.add(carrier);
        return carrier;
    }

    /** Makes the carrier idle until it is given a task. */
    void rest(Carrier me) {
        idle.push(me);
        passOn(me);
    }

    /** Ends the thread. The next thread with the turn waits until it is really dead, so that all others see it dead. */
    void leave(Participant me) {
        alive.remove(me);
        Participant next = next();
        dying = me.thread();
        current = next;
        next.giveTurn();
    }

    // choosing

    private void passOn(Participant me) {
        Participant next = next();
        current = next;
        if (next != me) {
            next.giveTurn();
            awaitTurn(me);
        }
        if (me != controller) {
            log("runs");
        }
    }

    /** Makes a new thread wait for its first turn. */
    void begin(Participant me) {
        awaitTurn(me);
        log("begins");
    }

    private void awaitTurn(Participant me) {
        me.awaitTurn();
        awaitDeath();
    }

    private void awaitDeath() {
        Thread thread = dying;
        dying = null;
        while (thread != null && thread.isAlive()) {
            Thread.onSpinWait();
        }
    }

    private Participant next() {
        steps.lazySet(steps.get() + 1);
        try {
            return nextOrController();
        } catch (Throwable e) {
            fail("cannot go on", e);
            return over(Outcome.FAILED);
        }
    }

    private Participant nextOrController() {
        while (true) {
            if (diagnosis.hasFailed()) {
                return over(Outcome.FAILED);
            }
            if (reached.getAsBoolean()) {
                return over(Outcome.REACHED);
            }
            if (closing) {
                return ready.isEmpty()
                        ? over(Outcome.NOTHING_LEFT)
                        : ready.remove(0).take();
            }
            agenda.runDue();
            wakeInterruptedAndWaiting();
            if (!ready.isEmpty()) {
                refuseLivelock();
                return choose();
            }
            if (agenda.isEmpty()) {
                return over(Outcome.NOTHING_LEFT);
            }
            if (!agenda.advance(limit)) {
                return over(Outcome.TIME_UP);
            }
        }
    }

    private Participant over(Outcome how) {
        outcome = how;
        return controller;
    }

    private Participant choose() {
        int last = ready.size() - 1;
        int index = last == 0 ? 0 : random.nextInt(last + 1);
        Ready chosen = ready.set(index, ready.get(last));
        ready.remove(last);
        return chosen.take();
    }

    private void wakeInterruptedAndWaiting() {
        for (Participant each : alive) {
            if (each.isParked() && each.thread().isInterrupted()) {
                wake(each);
            }
        }
        for (Wait wait : waits) {
            if (wait.condition.getAsBoolean()) {
                wake(wait.who);
            }
        }
    }

    private void refuseLivelock() {
        if (agenda.now() != moment) {
            moment = agenda.now();
            stepsBeforeMoment = steps.get();
        } else if (steps.get() - stepsBeforeMoment > STEPS_AT_ONE_MOMENT) {
            stepsBeforeMoment = steps.get();
            throw failed(STEPS_AT_ONE_MOMENT + " steps, and no time has passed");
        }
    }

    // the calling thread

    Participant current() {
        Participant me = current;
        if (me.thread() != Thread.currentThread()) {
            if (me != controller || running) {
                throw diagnosis.wrongThread(me);
            }
            controller.become(Thread.currentThread());
        }
        return me;
    }

    long steps() {
        return steps.get();
    }

    // the log and failures

    void log(String what) {
        diagnosis.log(agenda.now(), current.name(), what);
    }

    void fail(String what, Throwable cause) {
        diagnosis.fail(what, cause);
    }

    AssertionError failed(String what) {
        return diagnosis.failed(what, null);
    }

    AssertionError stuck() {
        return diagnosis.stuck(current);
    }

    // the end

    /** Unwinds all threads, one after the other. Returns those that had not ended. */
    List<String> unwind() {
        if (current != controller) {
            current.thread().interrupt();
            return List.of(current.name());
        }
        List<String> left = new ArrayList<>();
        closing = true;
        ready.clear();
        for (Participant each : alive) {
            if (each != controller) {
                if (!each.isKilled() && each.isAtWork()) {
                    left.add(each.name());
                }
                each.kill();
                each.markReady();
                ready.add(each);
            }
        }
        run(() -> false, agenda.now());
        return left;
    }
}
