package io.holdfast.internal;

import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreProvider;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;

/** The options of a client, checked by its builder, which documents them. */
public record Settings(
        String uri,
        String name,
        String keyPrefix,
        Duration lease,
        Duration commandTimeout,
        Duration connectTimeout,
        boolean lazy,
        Duration maxOutage,
        Duration closeTimeout,
        Duration pollInterval,
        int renewalBatch,
        Optional<Duration> maxHold,
        Optional<Executor> callbacks,
        Optional<StoreProvider> provider,
        Platform platform) {}
