package io.holdfast.spi;

import io.holdfast.LockReport;
import io.holdfast.Safety;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The configuration that a client passes to its store.
 *
 * @param uri the URI that the user set
 * @param client the identity of the client, which others see
 * @param platform the time, threads and randomness that the store must use
 * @param commandTimeout the maximum time for one request
 * @param connectTimeout the time in which a connection has to be made, apart from the time in which classes are loaded
 * @param lazy {@code true} to connect at the first request instead
 * @param keyPrefix the prefix of every lock name in the store; empty for none
 * @param safety the replicas or disks that a grant or a renewal has to reach before the request is answered. A store that
 *     cannot wait for that reports it when it is opened. It is {@link Safety#async} if the provider
 *     {@linkplain StoreProvider#replicates supports nothing else}
 * @param signals the receiver of signals, which never blocks, and which any thread may call
 * @param describer a function that describes the client's current hold of a name to other clients; it never blocks
 */
public record StoreConfig(
        String uri,
        LockReport.Client client,
        Platform platform,
        Duration commandTimeout,
        Duration connectTimeout,
        boolean lazy,
        String keyPrefix,
        Safety safety,
        Consumer<Signal> signals,
        Function<String, Optional<HoldDescription>> describer) {

    /** Returns the configuration of a client with default options, which receives no signals and describes no holds. */
    public static StoreConfig of(String uri, LockReport.Client client, Platform platform) {
        Duration command = Duration.ofSeconds(2);
        Duration connect = Duration.ofSeconds(10);
        return new StoreConfig(
                uri, client, platform, command, connect, false, "", Safety.async(), s -> {}, name -> Optional.empty());
    }

    /** Returns a copy of this configuration for another URI. */
    public StoreConfig withUri(String value) {
        return new StoreConfig(
                value, client, platform, commandTimeout, connectTimeout, lazy, keyPrefix, safety, signals, describer);
    }

    /** Returns a copy of this configuration with another source of time, threads and randomness. */
    public StoreConfig withPlatform(Platform value) {
        return new StoreConfig(
                uri, client, value, commandTimeout, connectTimeout, lazy, keyPrefix, safety, signals, describer);
    }

    /** Returns a copy of this configuration with other timeouts. */
    public StoreConfig withTimeouts(Duration command, Duration connect) {
        return new StoreConfig(uri, client, platform, command, connect, lazy, keyPrefix, safety, signals, describer);
    }

    /** Returns a copy of this configuration that connects at the first request, or at once. */
    public StoreConfig withLazy(boolean value) {
        return new StoreConfig(
                uri, client, platform, commandTimeout, connectTimeout, value, keyPrefix, safety, signals, describer);
    }

    /** Returns a copy of this configuration with another prefix. */
    public StoreConfig withKeyPrefix(String value) {
        return new StoreConfig(
                uri, client, platform, commandTimeout, connectTimeout, lazy, value, safety, signals, describer);
    }

    /** Returns a copy of this configuration with another safety level. */
    public StoreConfig withSafety(Safety value) {
        return new StoreConfig(
                uri, client, platform, commandTimeout, connectTimeout, lazy, keyPrefix, value, signals, describer);
    }

    /** Returns a copy of this configuration for another client, which receives signals and describes its holds. */
    public StoreConfig withClient(
            LockReport.Client value, Consumer<Signal> receiver, Function<String, Optional<HoldDescription>> describe) {
        return new StoreConfig(
                uri, value, platform, commandTimeout, connectTimeout, lazy, keyPrefix, safety, receiver, describe);
    }

    /** Returns a text without the parts of the URI that may be secret. */
    @Override
    public String toString() {
        return "StoreConfig[uri=" + StoreUri.masked(uri) + ", client=" + client + ", safety=" + safety + "]";
    }

    /**
     * The description of a hold by its holder.
     *
     * @param tenure the tenure by which the client holds the name
     * @param owner the thread or lease that holds it now
     * @param since the time when it acquired the name
     * @param token its fencing token
     * @param place the call site as in {@link LockReport.Holder#place}, in one line
     */
    public record HoldDescription(TenureId tenure, String owner, Instant since, long token, Optional<String> place) {

        /** Creates a description without a call site. */
        public HoldDescription(TenureId tenure, String owner, Instant since, long token) {
            this(tenure, owner, since, token, Optional.empty());
        }

        /**
         * Returns a holder as others see it.
         *
         * @param id the id of its hold at the store
         * @param mode the mode in which it holds the name; never that of a semaphore
         * @param answer the description by the holder; empty if it did not answer
         */
        public static LockReport.Holder holder(
                LockReport.Client client,
                String id,
                Share.Mode mode,
                Optional<HoldDescription> answer,
                Duration remainingLease) {
            return new LockReport.Holder(
                    client,
                    id,
                    LockReport.Mode.valueOf(mode.name()),
                    answer.map(HoldDescription::owner),
                    answer.map(HoldDescription::since),
                    answer.flatMap(HoldDescription::place),
                    answer.map(hold -> OptionalLong.of(hold.token())).orElse(OptionalLong.empty()),
                    remainingLease);
        }
    }
}
