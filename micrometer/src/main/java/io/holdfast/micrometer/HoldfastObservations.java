package io.holdfast.micrometer;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.Holdfast;
import io.holdfast.LeaseLostException;
import io.holdfast.LockObserver;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The observations of one client, from which a tracer makes spans: {@code holdfast.lock.acquire} lasts until an acquire has
 * ended, and {@code holdfast.lock.hold} from the acquire to the end of the hold.
 *
 * <pre>{@code
 * holdfast.addObserver(HoldfastObservations.of(holdfast, observationRegistry));
 * }</pre>
 *
 * <p>Both have the observation that is current when the acquire begins as their parent, also if a future completes on another
 * thread. They have the key values {@code store}, {@code kind}, {@code outcome}, and {@code name} if {@link #withNames} was
 * called, with low cardinality; and {@code holdfast.name} and {@code holdfast.token} with high cardinality. A lost hold is an
 * error.
 *
 * <p>For OpenTelemetry, register the tracing bridge of Micrometer ({@code micrometer-tracing-bridge-otel}) as a handler of the
 * registry.
 */
public final class HoldfastObservations implements LockObserver {

    private static final String ACQUIRE = "holdfast.lock.acquire";
    private static final String HOLD = "holdfast.lock.hold";

    private final ObservationRegistry registry;
    private final String store;
    private final Optional<LockNames> names;

    private HoldfastObservations(ObservationRegistry registry, String store, Optional<LockNames> names) {
        this.registry = registry;
        this.store = store;
        this.names = names;
    }

    /** Returns an observer for the client. It has to be {@linkplain Holdfast#addObserver added} to the client. */
    public static HoldfastObservations of(Holdfast client, ObservationRegistry registry) {
        return new HoldfastObservations(
                Objects.requireNonNull(registry, "registry"), client.scheme(), Optional.empty());
    }

    /** Returns a copy whose observations have the key value {@code name}. */
    public HoldfastObservations withNames(LockNames value) {
        return new HoldfastObservations(registry, store, Optional.of(value));
    }

    @Override
    public Acquiring acquire(Kind kind, String name) {
        Observation parent = registry.getCurrentObservation();
        Observation acquire = start(ACQUIRE, "acquire ", kind, name, parent);
        return new Acquiring() {
            @Override
            public Holding acquired(long fencingToken) {
                acquire.highCardinalityKeyValue("holdfast.token", Long.toString(fencingToken));
                stop(acquire, Outcomes.ACQUIRED);
                Observation hold = start(HOLD, "hold ", kind, name, parent);
                hold.highCardinalityKeyValue("holdfast.token", Long.toString(fencingToken));
                return new ObservedHold(name, fencingToken, hold);
            }

            @Override
            public void timedOut() {
                stop(acquire, Outcomes.TIMED_OUT);
            }

            @Override
            public void withdrawn() {
                stop(acquire, Outcomes.WITHDRAWN);
            }

            @Override
            public void failed(Throwable error) {
                acquire.error(error);
                stop(acquire, Outcomes.FAILED);
            }
        };
    }

    private Observation start(String what, String verb, Kind kind, String name, @Nullable Observation parent) {
        KeyValues low = KeyValues.of("store", store, "kind", Outcomes.kind(kind))
                .and(names.map(function -> KeyValue.of("name", function.tag(name))).stream()
                        .toList());
        return Observation.createNotStarted(what, registry)
                .parentObservation(parent)
                .contextualName(verb + Outcomes.kind(kind))
                .lowCardinalityKeyValues(low)
                .highCardinalityKeyValue("holdfast.name", name)
                .start();
    }

    private static void stop(Observation observation, String outcome) {
        observation.lowCardinalityKeyValue("outcome", outcome).stop();
    }

    private record ObservedHold(String name, long fencingToken, Observation hold) implements Holding {

        @Override
        public void released() {
            stop(hold, Outcomes.RELEASED);
        }

        @Override
        public void lost(String reason) {
            hold.error(new LeaseLostException(name, fencingToken, quoted(name) + " was lost: " + reason));
            stop(hold, Outcomes.LOST);
        }
    }
}
