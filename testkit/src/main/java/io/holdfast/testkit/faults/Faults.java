package io.holdfast.testkit.faults;

import io.holdfast.spi.Platform;
import io.holdfast.spi.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/**
 * What goes wrong on one connection, and how often it did: at random, or exactly when a test wants it.
 *
 * <p>What a test asked for comes first and does not count as random; each happens once. Without any setting nothing goes
 * wrong, and nothing random is drawn.
 */
public final class Faults {

    private static final int DELAY_STEPS = 12;

    private final ReentrantLock mutex = new ReentrantLock();
    private final Platform platform;
    private final Map<Fault, Double> probabilities = new EnumMap<>(Fault.class);
    private final Map<Fault, Long> counts = new EnumMap<>(Fault.class);
    private final Set<Operation> spared = EnumSet.noneOf(Operation.class);
    private final List<Planned> planned = new ArrayList<>();
    private final List<Runnable> outageEnds = new CopyOnWriteArrayList<>();
    private Duration maxDelay = Duration.ofSeconds(4);
    private boolean outage;

    /** What is to happen to the next one that matches: a fault, or being held back before or after it is applied. */
    private record Planned(Operation operation, Predicate<Object> matches, Optional<Fault> fault, Stop stop) {}

    /** Where something is held back. */
    private record Stop(boolean beforeApplying, Optional<Held> held) {

        static final Stop NONE = new Stop(false, Optional.empty());
    }

    /**
     * What happens to one request or signal.
     *
     * @param request what holds it back before it is applied
     * @param reply what holds its reply back
     */
    record Fate(Optional<Fault> fault, Optional<Held> request, Optional<Held> reply) {

        static final Fate NONE = new Fate(Optional.empty(), Optional.empty(), Optional.empty());
    }

    /** Nothing goes wrong yet. */
    public Faults(Platform platform) {
        this.platform = platform;
    }

    /** How likely the fault is for each request, or for each signal. */
    public Faults probability(Fault fault, double probability) {
        return change(() -> probabilities.put(fault, probability));
    }

    /** How likely each of all faults is. */
    public Faults probability(double probability) {
        for (Fault fault : Fault.values()) {
            probability(fault, probability);
        }
        return this;
    }

    /** Random faults do not happen to this operation. */
    public Faults spare(Operation operation) {
        return change(() -> spared.add(operation));
    }

    /** The longest delay; shorter ones are more likely. */
    public Faults maxDelay(Duration delay) {
        return change(() -> maxDelay = delay);
    }

    /** While there is an outage, all requests fail as {@code NOT_APPLIED}, and signals are lost. Its end is a gap. */
    public Faults outage(boolean on) {
        boolean ends = isOutage() && !on;
        change(() -> outage = on);
        if (ends) {
            outageEnds.forEach(Runnable::run);
        }
        return this;
    }

    void onOutageEnd(Runnable listener) {
        outageEnds.add(listener);
    }

    /** Makes the fault happen to the next request of this kind, or to the next signal. */
    public Faults next(Operation operation, Fault fault) {
        if (!fault.isOf(operation)) {
            throw new IllegalArgumentException(fault + " does not happen to " + operation);
        }
        return change(() -> planned.add(new Planned(operation, any -> true, Optional.of(fault), Stop.NONE)));
    }

    /** Holds back the next request of this kind, before it is applied. */
    public Held holdRequest(Operation operation) {
        return hold(operation, any -> true, true);
    }

    /** Holds back the reply to the next request of this kind, after it was applied. */
    public Held holdReply(Operation operation) {
        return hold(operation, any -> true, false);
    }

    /** Holds back the next signal of this kind. */
    public Held holdSignal(Class<? extends Signal> kind) {
        return hold(Operation.SIGNAL, kind::isInstance, false);
    }

    private Held hold(Operation operation, Predicate<Object> matches, boolean beforeApplying) {
        Held held = new Held();
        Stop stop = new Stop(beforeApplying, Optional.of(held));
        change(() -> planned.add(new Planned(operation, matches, Optional.empty(), stop)));
        return held;
    }

    /** How often the fault has happened. */
    public long count(Fault fault) {
        mutex.lock();
        try {
            return counts.getOrDefault(fault, 0L);
        } finally {
            mutex.unlock();
        }
    }

    /** All that has gone wrong so far. */
    public Map<Fault, Long> counts() {
        mutex.lock();
        try {
            return Map.copyOf(counts);
        } finally {
            mutex.unlock();
        }
    }

    boolean isOutage() {
        mutex.lock();
        try {
            return outage;
        } finally {
            mutex.unlock();
        }
    }

    Fate fateOf(Operation operation, Object what) {
        mutex.lock();
        try {
            Fate fate = plannedFate(operation, what).orElseGet(() -> randomFate(operation));
            fate.fault.ifPresent(fault -> counts.merge(fault, 1L, Long::sum));
            return fate;
        } finally {
            mutex.unlock();
        }
    }

    private Optional<Fate> plannedFate(Operation operation, Object what) {
        Iterator<Planned> plans = planned.iterator();
        while (plans.hasNext()) {
            Planned plan = plans.next();
            if (plan.operation == operation && plan.matches.test(what)) {
                plans.remove();
                return Optional.of(fate(plan));
            }
        }
        return Optional.empty();
    }

    private static Fate fate(Planned plan) {
        Optional<Held> held = plan.stop.held;
        return plan.stop.beforeApplying
                ? new Fate(plan.fault, held, Optional.empty())
                : new Fate(plan.fault, Optional.empty(), held);
    }

    private Fate randomFate(Operation operation) {
        if (!spared.contains(operation)) {
            for (Map.Entry<Fault, Double> each : probabilities.entrySet()) {
                if (each.getKey().isOf(operation) && each.getValue() > 0 && chance(each.getValue())) {
                    return new Fate(Optional.of(each.getKey()), Optional.empty(), Optional.empty());
                }
            }
        }
        return Fate.NONE;
    }

    /** A random event of this probability. */
    boolean chance(double probability) {
        return (platform.randomLong() >>> 11) * 0x1p-53 < probability;
    }

    /** A random delay: of every order of magnitude equally often. */
    long delayNanos() {
        long random = platform.randomLong();
        long longest = maxDelay.toNanos() >> Math.floorMod(random, DELAY_STEPS);
        return Math.floorMod(random / DELAY_STEPS, Math.max(1, longest));
    }

    private Faults change(Runnable setting) {
        mutex.lock();
        try {
            setting.run();
            return this;
        } finally {
            mutex.unlock();
        }
    }
}
