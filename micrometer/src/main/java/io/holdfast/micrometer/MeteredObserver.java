package io.holdfast.micrometer;

import io.holdfast.LockObserver;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Measures the time of each acquire and each hold. */
final class MeteredObserver implements LockObserver {

    /** The tags of a timer, as a key. */
    private record Key(String meter, Kind kind, String outcome, Optional<String> name) {}

    private final MeterRegistry registry;
    private final Tags tags;
    private final Optional<LockNames> names;
    private final double[] percentiles;
    private final Map<Key, Timer> timers = new ConcurrentHashMap<>();

    MeteredObserver(MeterRegistry registry, Tags tags, Optional<LockNames> names, List<Double> percentiles) {
        this.registry = registry;
        this.tags = tags;
        this.names = names;
        this.percentiles = percentiles.stream().mapToDouble(Double::doubleValue).toArray();
    }

    @Override
    public Acquiring acquire(Kind kind, String name) {
        Optional<String> tag = names.map(function -> function.tag(name));
        Timer.Sample sample = Timer.start(registry);
        return new Acquiring() {
            @Override
            public Holding acquired(long fencingToken) {
                stop(sample, new Key("holdfast.acquire", kind, Outcomes.ACQUIRED, tag));
                return holding(kind, tag);
            }

            @Override
            public void timedOut() {
                stop(sample, new Key("holdfast.acquire", kind, Outcomes.TIMED_OUT, tag));
            }

            @Override
            public void withdrawn() {
                stop(sample, new Key("holdfast.acquire", kind, Outcomes.WITHDRAWN, tag));
            }

            @Override
            public void failed(Throwable error) {
                stop(sample, new Key("holdfast.acquire", kind, Outcomes.FAILED, tag));
            }
        };
    }

    private Holding holding(Kind kind, Optional<String> tag) {
        Timer.Sample sample = Timer.start(registry);
        return new Holding() {
            @Override
            public void released() {
                stop(sample, new Key("holdfast.hold", kind, Outcomes.RELEASED, tag));
            }

            @Override
            public void lost(String reason) {
                stop(sample, new Key("holdfast.hold", kind, Outcomes.LOST, tag));
            }
        };
    }

    private void stop(Timer.Sample sample, Key key) {
        // a lookup in the registry would sort the tags for each acquire
        sample.stop(timers.computeIfAbsent(key, this::timer));
    }

    private Timer timer(Key key) {
        Tags own = Tags.of("kind", Outcomes.kind(key.kind), "outcome", key.outcome)
                .and(key.name.map(name -> Tag.of("name", name)).stream().toList());
        Timer.Builder timer = Timer.builder(key.meter)
                .description(
                        key.meter.endsWith("hold") ? "Time from acquire to release" : "Time until an acquire ended")
                .tags(tags.and(own));
        if (percentiles.length > 0) {
            timer.publishPercentiles(percentiles);
        }
        return timer.register(registry);
    }
}
