package io.holdfast.internal.engine;

import io.holdfast.ClientHealth;
import io.holdfast.internal.slot.Tenure;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The health of one client: whether its calls are answered, and how long its holds last without an answer. */
public final class Health {

    private static final Set<Effect> ANSWERS = Set.of(Effect.REFUSED, Effect.UNCONFIRMED, Effect.CONTENDED);

    private final Engine engine;

    /** A lost update does no more harm than a call that was answered a moment later. */
    private volatile Optional<Instant> failingSince = Optional.empty();

    Health(Engine engine) {
        this.engine = engine;
    }

    void answered() {
        // a read first, because most calls are answered after an answered one
        if (failingSince.isPresent()) {
            failingSince = Optional.empty();
        }
    }

    /**
     * Records a failed call. A refusal is an answer, and so are an acquire that did not reach enough replicas, and a request that
     * others kept from being written.
     */
    void failed(StoreException cause) {
        if (ANSWERS.contains(cause.effect())) {
            answered();
        } else if (failingSince.isEmpty()) {
            failingSince = Optional.of(Instant.ofEpochMilli(engine.platform.wallMillis()));
        }
    }

    public ClientHealth report() {
        long now = engine.platform.nanoTime();
        List<Tenure> held = engine.heldTenures();
        int late = (int) held.stream().filter(tenure -> tenure.lateReported).count();
        Optional<Duration> shortest = held.stream()
                .map(tenure -> Duration.ofNanos(Math.max(0, tenure.validity.remaining(now))))
                .min(Duration::compareTo);
        return new ClientHealth(failingSince, late, shortest);
    }
}
