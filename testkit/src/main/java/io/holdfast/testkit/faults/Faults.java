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
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/**
 * The faults of one connection, and their counts. Faults occur at random, or exactly when a test requests them.
 *
 * <p>A fault that a test requests comes first, does not count as random, and occurs once. Without any setting no fault occurs,
 * and no random number is drawn.
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
    private Duration betweenLooks = Duration.ZERO;
    private boolean outage;

    /** A plan for the next matching request or signal: a fault, or a stop before or after it is applied. */
    private record Planned(Operation operation, Predicate<Object> matches, Optional<Fault> fault, Stop stop) {}

    /** The point at which a request, a reply or a signal is held back. */
    private record Stop(boolean beforeApplying, Optional<Held> held) {

        static final Stop NONE = new Stop(false, Optional.empty());
    }

    /**
     * The fate of one request or signal.
     *
     * @param request holds it back before it is applied
     * @param reply holds its reply back
     */
    record Fate(Optional<Fault> fault, Optional<Held> request, Optional<Held> reply) {

        static final Fate NONE = new Fate(Optional.empty(), Optional.empty(), Optional.empty());
    }

    /** Creates settings without any fault. */
    public Faults(Platform platform) {
        this.platform = platform;
    }

    /** Sets the probability of the fault for each request, or for each signal. */
    public Faults probability(Fault fault, double probability) {
        return change(() -> probabilities.put(fault, probability));
    }

    /** Sets the probability of every fault. */
    public Faults probability(double probability) {
        for (Fault fault : Fault.values()) {
            probability(fault, probability);
        }
        return this;
    }

    /** Excludes an operation from random faults. */
    public Faults spare(Operation operation) {
        return change(() -> spared.add(operation));
    }

    /** Sets the longest delay. Shorter delays are more likely. */
    public Faults maxDelay(Duration delay) {
        return change(() -> maxDelay = delay);
    }

    /**
     * Makes the store {@linkplain io.holdfast.spi.Capabilities.Signals#LOOKED scan its records} at the given interval. All
     * signals arrive with the next scan. Call it before the store is used.
     */
    public Faults looksEvery(Duration interval) {
        return change(() -> betweenLooks = interval);
    }

    /** Returns the time until the next scan, in nanoseconds; empty if signals arrive at once. */
    OptionalLong untilNextLook() {
        mutex.lock();
        try {
            long interval = betweenLooks.toNanos();
            return interval == 0
                    ? OptionalLong.empty()
                    : OptionalLong.of(interval - Math.floorMod(platform.nanoTime(), interval));
        } finally {
            mutex.unlock();
        }
    }

    /**
     * Starts or ends an outage. During an outage, all requests fail as {@code NOT_APPLIED}, and signals are lost. Its end
     * causes a gap.
     */
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

    /** Plans the fault for the next request of this kind, or for the next signal. */
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

    /** Returns how often the fault has occurred. */
    public long count(Fault fault) {
        mutex.lock();
        try {
            return counts.getOrDefault(fault, 0L);
        } finally {
            mutex.unlock();
        }
    }

    /** Returns the counts of all faults so far. */
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

    /** Returns {@code true} with the given probability. */
    boolean chance(double probability) {
        return (platform.randomLong() >>> 11) * 0x1p-53 < probability;
    }

    /** Returns a random delay. Every order of magnitude is equally likely. */
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
