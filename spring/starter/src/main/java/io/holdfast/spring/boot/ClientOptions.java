package io.holdfast.spring.boot;

import io.holdfast.HoldfastBuilder;
import io.holdfast.OnMaxHold;
import io.holdfast.Safety;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The options of one client.
 *
 * @param uri URI of the store, such as redis://localhost:6379. Without it, the client uses the Redis connection or the data source of the application.
 * @param name Name under which other clients see this client. Default: spring.application.name, or else host:pid.
 * @param keyPrefix Text before each name at the store. Clients with different prefixes do not exclude each other. Default: none.
 * @param safety Replicas and disks that must have stored a grant: async, replicated(n), durable or durable(n). Default: async.
 * @param lease Time for which the store keeps a hold that is not renewed, 100 ms to 365 days. Default: 30s.
 * @param commandTimeout Maximum duration of one call to the store. Default: 2s.
 * @param connectTimeout Maximum time for which the start waits for the connection. Default: 10s.
 * @param lazy Whether the client connects at its first call instead of at the start. Default: false.
 * @param maxOutage Time for which a waiter tolerates an outage of the store. Default: 30s.
 * @param closeTimeout Maximum time for which the end of the application waits for releases to be confirmed. Default: 5s.
 * @param pollInterval Interval at which a waiting client asks the store even without a message, at most 20 s. Default: 1s.
 * @param renewalBatch Maximum number of leases that one call renews, 1 to 1000. Default: what the store states.
 * @param maxHold Age at which a hold is reported. Default: none.
 * @param onMaxHold What follows the report of a hold that is too old. Default: warn.
 * @param recordPlaces Whether the call site of each acquire is recorded. Default: false.
 */
public record ClientOptions(
        @Nullable String uri,
        @Nullable String name,
        @Nullable String keyPrefix,
        @Nullable String safety,
        @Nullable Duration lease,
        @Nullable Duration commandTimeout,
        @Nullable Duration connectTimeout,
        @Nullable Boolean lazy,
        @Nullable Duration maxOutage,
        @Nullable Duration closeTimeout,
        @Nullable Duration pollInterval,
        @Nullable Integer renewalBatch,
        @Nullable Duration maxHold,
        @Nullable OnMaxHold onMaxHold,
        @Nullable Boolean recordPlaces) {

    /** Sets the options that are given, except the URI. */
    HoldfastBuilder applyTo(HoldfastBuilder builder) {
        set("name", name, builder::name);
        set("key-prefix", keyPrefix, builder::keyPrefix);
        set("safety", safety, text -> builder.safety(Safety.parse(text)));
        set("lease", lease, builder::lease);
        set("command-timeout", commandTimeout, builder::commandTimeout);
        set("connect-timeout", connectTimeout, builder::connectTimeout);
        set("lazy", lazy, value -> value ? builder.lazy() : builder);
        set("max-outage", maxOutage, builder::maxOutage);
        set("close-timeout", closeTimeout, builder::closeTimeout);
        set("poll-interval", pollInterval, builder::pollInterval);
        set("renewal-batch", renewalBatch, builder::renewalBatch);
        set("max-hold", maxHold, value -> builder.maxHold(value, onMaxHold == null ? OnMaxHold.WARN : onMaxHold));
        set("record-places", recordPlaces, value -> value ? builder.recordPlaces() : builder);
        if (onMaxHold != null && maxHold == null) {
            throw new IllegalArgumentException("on-max-hold: it needs max-hold, the time after which it applies");
        }
        return builder;
    }

    private static <T> void set(String option, @Nullable T value, Function<T, HoldfastBuilder> setter) {
        if (value != null) {
            try {
                var unused = setter.apply(value);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(option + ": " + e.getMessage(), e);
            }
        }
    }
}
