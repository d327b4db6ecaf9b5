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
 * What a store needs to know of its client.
 *
 * @param uri as the user gave it
 * @param client who the client is, to be shown to others
 * @param platform time, threads and randomness; a store uses no others
 * @param commandTimeout for one request
 * @param connectTimeout for {@link StoreProvider#open}
 * @param lazy whether to connect at the first request instead
 * @param keyPrefix put before every lock name in the store; empty for none
 * @param safety what most requests will ask for; a store that cannot do it says so when it is opened. See {@link
 *     StoreProvider#replicates}
 * @param signals takes the signals; never blocks, may be called by any thread
 * @param describer tells about the client's current hold of a name, for holders asked by others; never blocks
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

    /** A client with the default of every option, that hears no signals and tells nothing. */
    public static StoreConfig of(String uri, LockReport.Client client, Platform platform) {
        Duration command = Duration.ofSeconds(2);
        Duration connect = Duration.ofSeconds(5);
        return new StoreConfig(
                uri, client, platform, command, connect, false, "", Safety.async(), s -> {}, name -> Optional.empty());
    }

    /** The same at another place. */
    public StoreConfig withUri(String value) {
        return new StoreConfig(
                value, client, platform, commandTimeout, connectTimeout, lazy, keyPrefix, safety, signals, describer);
    }

    /** The same with other time, threads and randomness. */
    public StoreConfig withPlatform(Platform value) {
        return new StoreConfig(
                uri, client, value, commandTimeout, connectTimeout, lazy, keyPrefix, safety, signals, describer);
    }

    /** The same with other timeouts. */
    public StoreConfig withTimeouts(Duration command, Duration connect) {
        return new StoreConfig(uri, client, platform, command, connect, lazy, keyPrefix, safety, signals, describer);
    }

    /** The same, connecting at the first request or at once. */
    public StoreConfig withLazy(boolean value) {
        return new StoreConfig(
                uri, client, platform, commandTimeout, connectTimeout, value, keyPrefix, safety, signals, describer);
    }

    /** The same with another prefix. */
    public StoreConfig withKeyPrefix(String value) {
        return new StoreConfig(
                uri, client, platform, commandTimeout, connectTimeout, lazy, value, safety, signals, describer);
    }

    /** The same with another safety. */
    public StoreConfig withSafety(Safety value) {
        return new StoreConfig(
                uri, client, platform, commandTimeout, connectTimeout, lazy, keyPrefix, value, signals, describer);
    }

    /** The same for another client, which hears signals, and tells about its holds. */
    public StoreConfig withClient(
            LockReport.Client value, Consumer<Signal> hear, Function<String, Optional<HoldDescription>> describe) {
        return new StoreConfig(
                uri, value, platform, commandTimeout, connectTimeout, lazy, keyPrefix, safety, hear, describe);
    }

    /** Without what may be secret in the URI. */
    @Override
    public String toString() {
        return "StoreConfig[uri=" + StoreUri.masked(uri) + ", client=" + client + ", safety=" + safety + "]";
    }

    /**
     * What a holder tells about itself.
     *
     * @param tenure by which the client holds the name
     * @param owner the thread or lease that has it now
     * @param since when it got it
     * @param token its fencing token
     * @param place as in {@link LockReport.Holder#place}, of one line
     */
    public record HoldDescription(TenureId tenure, String owner, Instant since, long token, Optional<String> place) {

        /** Without the place. */
        public HoldDescription(TenureId tenure, String owner, Instant since, long token) {
            this(tenure, owner, since, token, Optional.empty());
        }

        /**
         * A holder as others see it.
         *
         * @param mode how it holds the name: not as a semaphore
         * @param told what it told about itself; empty if it did not answer
         */
        public static LockReport.Holder holder(
                LockReport.Client client, Share.Mode mode, Optional<HoldDescription> told, Duration remainingLease) {
            return new LockReport.Holder(
                    client,
                    LockReport.Mode.valueOf(mode.name()),
                    told.map(HoldDescription::owner),
                    told.map(HoldDescription::since),
                    told.flatMap(HoldDescription::place),
                    told.map(hold -> OptionalLong.of(hold.token())).orElse(OptionalLong.empty()),
                    remainingLease);
        }
    }
}
