package io.holdfast.spring.boot;

import io.holdfast.OnMaxHold;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.core.env.Environment;

/**
 * The properties of Holdfast. An unknown one fails the start.
 *
 * @param enabled Whether clients are created.
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
 * @param clients Further clients by name. Each is a bean with its name as qualifier.
 * @param locked Methods with annotations.
 * @param metrics Meters.
 * @param tracing Observations, from which a tracer makes spans.
 * @param endpoint The endpoint locks of the actuator.
 */
@ConfigurationProperties(prefix = "holdfast", ignoreUnknownFields = false)
public record HoldfastProperties(
        @DefaultValue("true") boolean enabled,
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
        @Nullable Boolean recordPlaces,
        @DefaultValue Map<String, ClientOptions> clients,
        @DefaultValue Annotations locked,
        @DefaultValue Metrics metrics,
        @DefaultValue Tracing tracing,
        @DefaultValue Endpoint endpoint) {

    /**
     * The properties of methods with annotations.
     *
     * @param waitTime Maximum time for which a method waits for its lock, if its annotation states none.
     * @param order Order of the interceptor among all interceptors. It has to be smaller than that of transactions.
     */
    public record Annotations(
            @DefaultValue("30s") Duration waitTime,
            @DefaultValue("1000") int order) {

        /** Refuses a negative wait. */
        public Annotations {
            if (waitTime.isNegative()) {
                throw new IllegalArgumentException(
                        "holdfast.locked.wait-time: " + waitTime.toMillis() + " ms is negative; set 0 not to wait");
            }
        }
    }

    /**
     * The properties of meters.
     *
     * @param enabled Whether the meters are registered.
     * @param names Names of locks that are values of the tag name; all others are other. Default: no tag.
     * @param namePrefix Character that ends the part of a name that is the value of the tag name, such as /. Default: no tag.
     * @param percentiles Percentiles that the timers publish, each from 0 to 1.
     */
    public record Metrics(
            @DefaultValue("true") boolean enabled,
            @DefaultValue List<String> names,
            @Nullable Character namePrefix,
            @DefaultValue List<Double> percentiles) {}

    /**
     * The properties of observations.
     *
     * @param enabled Whether acquires and holds are observed, if the application has a tracer.
     */
    public record Tracing(@DefaultValue("true") boolean enabled) {}

    /**
     * The properties of the endpoint locks.
     *
     * @param releaseEnabled Whether the endpoint may release locks of others.
     */
    public record Endpoint(@DefaultValue("false") boolean releaseEnabled) {}

    /**
     * Returns the properties of methods with annotations. They are needed before the beans of properties exist, because
     * interceptors are created first.
     */
    static Annotations annotations(Environment environment) {
        return Binder.get(environment).bindOrCreate("holdfast.locked", Bindable.of(Annotations.class));
    }

    /** Returns the options of the default client. */
    ClientOptions client() {
        return new ClientOptions(
                uri,
                name,
                keyPrefix,
                safety,
                lease,
                commandTimeout,
                connectTimeout,
                lazy,
                maxOutage,
                closeTimeout,
                pollInterval,
                renewalBatch,
                maxHold,
                onMaxHold,
                recordPlaces);
    }
}
