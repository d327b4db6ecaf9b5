package io.holdfast.micrometer;

import io.holdfast.ClientHealth;
import io.holdfast.Holdfast;
import io.holdfast.Stats;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/**
 * The meters of one client. All names begin with {@code holdfast.}; the operations page of the documentation lists them.
 *
 * <pre>{@code
 * HoldfastMetrics.of(holdfast).withNames(LockNames.before('/')).bindTo(registry);
 * }</pre>
 *
 * <p>All meters have the tag {@code store}, the scheme of the store's URI. The timers {@code holdfast.acquire} and {@code
 * holdfast.hold} also have the tags {@code kind} and {@code outcome}, and the tag {@code name} if {@link #withNames} was called.
 * A reentrant acquire is not measured.
 *
 * <p>The meters of two clients with the same tags would be one. Add a tag with {@link #withTags} to tell the clients apart.
 */
public final class HoldfastMetrics implements MeterBinder {

    private final Holdfast client;
    private final Tags tags;
    private final Optional<LockNames> names;
    private final List<Double> percentiles;

    private HoldfastMetrics(Holdfast client, Tags tags, Optional<LockNames> names, List<Double> percentiles) {
        this.client = client;
        this.tags = tags;
        this.names = names;
        this.percentiles = percentiles;
    }

    /** Returns the meters of the client, which {@link #bindTo} registers. */
    public static HoldfastMetrics of(Holdfast client) {
        return new HoldfastMetrics(
                Objects.requireNonNull(client, "client"),
                Tags.of("store", client.scheme()),
                Optional.empty(),
                List.of());
    }

    /** Returns a copy that adds the given tags to all meters. */
    public HoldfastMetrics withTags(Tags more) {
        return new HoldfastMetrics(client, tags.and(more), names, percentiles);
    }

    /** Returns a copy whose timers have the tag {@code name}. */
    public HoldfastMetrics withNames(LockNames value) {
        return new HoldfastMetrics(client, tags, Optional.of(value), percentiles);
    }

    /**
     * Returns a copy whose timers publish the given percentiles, each from 0 to 1, for example 0.99. They are computed in this
     * process, and cannot be aggregated over several.
     */
    public HoldfastMetrics withPercentiles(double... values) {
        List<Double> copy = new ArrayList<>();
        for (double value : values) {
            copy.add(value);
        }
        return new HoldfastMetrics(client, tags, names, List.copyOf(copy));
    }

    /**
     * Registers all meters. Acquires that are under way are not measured. Counters and gauges replace those of an earlier client
     * with the same tags.
     */
    @Override
    public void bindTo(MeterRegistry registry) {
        Readings readings = new Readings(client, registry.config().clock());
        new Registration(registry, tags, readings).all();
        client.addObserver(new MeteredObserver(registry, tags, names, percentiles));
        client.addListener(new EventCounter(registry, tags));
    }

    /** The counters and gauges of the client. A scrape reads them once, because a reading visits all names in use. */
    private static final class Readings {

        private static final long FRESH_NANOS = Duration.ofMillis(500).toNanos();

        private record Reading(long at, Stats stats, ClientHealth health) {}

        private final Holdfast client;
        private final Clock clock;
        private volatile Reading last;

        Readings(Holdfast client, Clock clock) {
            this.client = client;
            this.clock = clock;
            this.last = read();
        }

        private Reading read() {
            return new Reading(clock.monotonicTime(), client.stats(), client.health());
        }

        private Reading reading() {
            Reading reading = last;
            if (clock.monotonicTime() - reading.at >= FRESH_NANOS) {
                reading = read();
                last = reading;
            }
            return reading;
        }

        Stats stats() {
            return reading().stats;
        }

        ClientHealth health() {
            return reading().health;
        }
    }

    /** Registers counters and gauges. A counter refers to the readings weakly, and a gauge keeps them alive. */
    private record Registration(MeterRegistry registry, Tags tags, Readings readings) {

        void all() {
            count("grants", "Holds granted to owners, without reentrant acquires", Stats::grants);
            count("handoffs", "Grants handed over inside this process, without a store call", Stats::handoffs);
            count("retaken", "Grants of a lingering lock without a store call", Stats::retaken);
            count("releases", "Holds ended by their owners", Stats::releases);
            count("losses", "Holds lost", Stats::lost);
            count("renewals", "Leases renewed", Stats::renewals);
            count("renewals.failed", "Renewals that failed or got no answer", Stats::renewalFailures);
            count("store.calls", "Calls to the store; a batch of renewals counts once", Stats::storeCalls);
            count("store.failures", "Calls that failed or got no answer", Stats::storeFailures);
            count("signals", "Messages received from the store", Stats::signals);
            count(
                    "clock.steps",
                    "Steps between the clocks of this machine, after which all holds are verified",
                    Stats::clockSteps);
            count("events.dropped", "Events dropped because a listener was too slow", Stats::eventsDropped);
            gauge("held", "Names held now", r -> r.stats().held());
            gauge("waiting", "Owners waiting now", r -> r.stats().waiting());
            gauge(
                    "unsettled",
                    "Releases that the store has not confirmed yet",
                    r -> r.stats().unsettled());
            gauge(
                    "renewals.late",
                    "Holds whose renewal is late now",
                    r -> r.health().lateRenewals());
            gauge("store.failing", "1 if the last calls to the store were not answered", Registration::failing);
            time(
                    "renewal.lag",
                    "Longest delay of a renewal by its own thread",
                    r -> r.stats().renewalLagMicros());
            time(
                    "store.roundtrip",
                    "Moving average of the round trip of an acquire",
                    r -> r.stats().roundTripMicros());
            time("lease.shortest", "Time until the first hold ends without the store", Registration::shortest);
        }

        private static double failing(Readings readings) {
            return readings.health().failingSince().isPresent() ? 1 : 0;
        }

        private static double shortest(Readings readings) {
            return readings.health()
                    .shortestLease()
                    .map(lease -> lease.toNanos() / 1e3)
                    .orElse(Double.NaN);
        }

        /** Removes the meter of an earlier client with the same tags, which would keep its last values. */
        private String replaced(String name) {
            registry.find("holdfast." + name).tags(tags).meters().stream()
                    .filter(meter ->
                            meter.getId().getTags().size() == tags.stream().count())
                    .forEach(registry::remove);
            return "holdfast." + name;
        }

        private void count(String name, String description, ToLongFunction<Stats> value) {
            FunctionCounter.builder(replaced(name), readings, r -> value.applyAsLong(r.stats()))
                    .description(description)
                    .tags(tags)
                    .register(registry);
        }

        private void gauge(String name, String description, ToDoubleFunction<Readings> value) {
            Gauge.builder(replaced(name), readings, value)
                    .description(description)
                    .tags(tags)
                    .strongReference(true)
                    .register(registry);
        }

        private void time(String name, String description, ToDoubleFunction<Readings> micros) {
            TimeGauge.builder(replaced(name), readings, TimeUnit.MICROSECONDS, micros)
                    .description(description)
                    .tags(tags)
                    .strongReference(true)
                    .register(registry);
        }
    }
}
