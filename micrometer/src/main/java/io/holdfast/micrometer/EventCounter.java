package io.holdfast.micrometer;

import io.holdfast.LockEvent;
import io.holdfast.LockListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.Map;

/** Counts the events that need attention, by kind. */
final class EventCounter implements LockListener {

    private final Map<Class<? extends LockEvent>, Counter> counters;

    EventCounter(MeterRegistry registry, Tags tags) {
        counters = Map.of(
                LockEvent.Lost.class, counter(registry, tags, "lost"),
                LockEvent.Abandoned.class, counter(registry, tags, "abandoned"),
                LockEvent.HeldTooLong.class, counter(registry, tags, "held-too-long"),
                LockEvent.RenewalLate.class, counter(registry, tags, "renewal-late"),
                LockEvent.ReleaseUnconfirmed.class, counter(registry, tags, "release-unconfirmed"));
    }

    private static Counter counter(MeterRegistry registry, Tags tags, String event) {
        return Counter.builder("holdfast.events")
                .description("Events that need attention")
                .tags(tags.and("event", event))
                .register(registry);
    }

    @Override
    public void onEvent(LockEvent event) {
        Counter counter = counters.get(event.getClass());
        if (counter != null) {
            counter.increment();
        }
    }
}
