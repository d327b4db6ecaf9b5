package io.holdfast.internal.access;

import io.holdfast.OnMaxHold;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreProvider;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Executor;

/** The options of a client. The builder of the client checks and documents them. */
public record Settings(
        StoreConfig store,
        String name,
        Duration lease,
        Duration maxOutage,
        Duration closeTimeout,
        Duration pollInterval,
        OptionalInt renewalBatch,
        Optional<Duration> maxHold,
        OnMaxHold onMaxHold,
        boolean recordPlaces,
        Optional<Executor> callbacks,
        Optional<StoreProvider> provider) {}
