package io.holdfast;

import io.holdfast.internal.Client;
import io.holdfast.internal.access.Durations;
import io.holdfast.internal.access.Settings;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * Options of a client. Each method checks its value at once and throws {@link IllegalArgumentException} for a bad one.
 *
 * <p>{@link #build} may be called again for another client with the same options.
 */
public final class HoldfastBuilder {

    private StoreConfig store = StoreConfig.of("", LockReport.Client.unknown(""), Platform.system());
    private Optional<StoreProvider> provider = Optional.empty();
    private Optional<Executor> callbacks = Optional.empty();
    private Optional<String> name = Optional.empty();
    private Duration lease = Duration.ofSeconds(30);
    private boolean recordPlaces;
    private Duration maxOutage = Duration.ofSeconds(30);
    private Duration closeTimeout = Duration.ofSeconds(5);
    private Duration pollInterval = Duration.ofSeconds(1);
    private Optional<Duration> maxHold = Optional.empty();
    private OnMaxHold onMaxHold = OnMaxHold.WARN;
    private int renewalBatch = 100;
    private final List<LockListener> listeners = new ArrayList<>();

    HoldfastBuilder() {}

    /** Where the locks are kept; see {@link Holdfast#connect}. Required. */
    public HoldfastBuilder uri(String value) {
        if (!Objects.requireNonNull(value, "the uri is null").matches("(?s)[A-Za-z][A-Za-z0-9+.-]*:.*")) {
            throw new IllegalArgumentException(
                    "the uri has no scheme: write for example redis://localhost:6379 or memory:;"
                            + " the uri is not shown, because it may contain a password");
        }
        store = store.withUri(value);
        return this;
    }

    /** What others are shown as the name of this client; by default {@code host:pid}. */
    public HoldfastBuilder name(String value) {
        if (value.isBlank() || value.length() > 100 || !value.chars().allMatch(c -> c > ' ' && c < 127)) {
            throw new IllegalArgumentException(
                    "name '" + value + "' must be 1 to 100 printable ASCII characters without blanks");
        }
        name = Optional.of(value);
        return this;
    }

    /**
     * Puts a text before every lock name in the store; by default nothing. Recommended where the store has data of other
     * programs: at Redis a lock is a key with the name of the lock. Clients with different prefixes do not exclude each other.
     */
    public HoldfastBuilder keyPrefix(String value) {
        store = store.withKeyPrefix(Objects.requireNonNull(value, "keyPrefix"));
        return this;
    }

    /** How long the store keeps a watchdog hold without renewal; renewed at a third. Default 30 s, 100 ms to 365 days. */
    public HoldfastBuilder lease(Duration value) {
        lease = Durations.requireLease("lease", value);
        return this;
    }

    /**
     * How long one store call may take. Default 2 s.
     *
     * <p>It also bounds an acquire that the store has not answered yet, whatever its own wait: if no answer that counts has come by then,
     * it fails with {@link StoreUnavailableException} or {@link IndeterminateLockException}.
     */
    public HoldfastBuilder commandTimeout(Duration value) {
        store = store.withTimeouts(Durations.requirePositive("commandTimeout", value), store.connectTimeout());
        return this;
    }

    /** How long {@link #build} tries to connect. Default 5 s. */
    public HoldfastBuilder connectTimeout(Duration value) {
        store = store.withTimeouts(store.commandTimeout(), Durations.requirePositive("connectTimeout", value));
        return this;
    }

    /** Where a grant has to be before it counts, unless the lock says otherwise. Default {@link Safety#async}. */
    public HoldfastBuilder safety(Safety value) {
        store = store.withSafety(Objects.requireNonNull(value, "safety"));
        return this;
    }

    /** Connects at the first store call, instead of in {@link #build}. */
    public HoldfastBuilder lazy() {
        store = store.withLazy(true);
        return this;
    }

    /**
     * How long a waiter that the store has answered before goes on waiting while no answer that counts comes. Default 30 s.
     *
     * <p>The time begins when the first request is sent that has no such answer, or with the wait if that begins later. At its end the
     * wait fails with {@link StoreUnavailableException} or {@link IndeterminateLockException}, also while a request is under way.
     */
    public HoldfastBuilder maxOutage(Duration value) {
        maxOutage = Durations.requirePositive("maxOutage", value);
        return this;
    }

    /** How long {@link Holdfast#close} waits for releases to be confirmed. Default 5 s. */
    public HoldfastBuilder closeTimeout(Duration value) {
        closeTimeout = Durations.requirePositive("closeTimeout", value);
        return this;
    }

    /**
     * How often a waiting client asks without a signal, which repairs lost signals. Default 1 s, with jitter; at most 20 s,
     * because a store forgets a waiter that has not asked for 60 s.
     */
    public HoldfastBuilder pollInterval(Duration value) {
        pollInterval = Durations.requirePollInterval(value);
        return this;
    }

    /** How many leases are renewed by one batch. Default 100. */
    public HoldfastBuilder renewalBatch(int value) {
        if (value < 1 || value > 1_000) {
            throw new IllegalArgumentException("renewalBatch " + value + " is out of range: 1 to 1000");
        }
        renewalBatch = value;
        return this;
    }

    /** After how long a hold is reported with {@link LockEvent.HeldTooLong}. By default never. */
    public HoldfastBuilder maxHold(Duration value) {
        return maxHold(value, OnMaxHold.WARN);
    }

    /** After how long a hold is reported with {@link LockEvent.HeldTooLong}, and what is done then besides. */
    public HoldfastBuilder maxHold(Duration value, OnMaxHold then) {
        maxHold = Optional.of(Durations.requirePositive("maxHold", value));
        onMaxHold = Objects.requireNonNull(then, "onMaxHold");
        return this;
    }

    /**
     * Records which code acquires each hold. {@link LockEvent.Abandoned}, {@link LockEvent.HeldTooLong} and {@link Holdfast#inspect}
     * then say where a lease was taken, and where a thread that has ended took a lock. A thread that is alive is shown with what it does
     * now, without this option. By default off, since a walk through the stack costs up to a quarter of the throughput of free locks.
     */
    public HoldfastBuilder recordPlaces() {
        recordPlaces = true;
        return this;
    }

    /** Adds a listener; see {@link LockListener}. */
    public HoldfastBuilder listener(LockListener value) {
        listeners.add(Objects.requireNonNull(value, "listener"));
        return this;
    }

    /**
     * Runs completions of {@link AsyncLock} and the other asynchronous faces; by default two threads of the client's own. The
     * actions of {@link Lease#onLost} do not run here, but on a thread of the client that does nothing else.
     */
    public HoldfastBuilder callbackExecutor(Executor value) {
        callbacks = Optional.of(value);
        return this;
    }

    /** Time, threads and randomness; for tests in virtual time. */
    public HoldfastBuilder platform(Platform value) {
        store = store.withPlatform(Objects.requireNonNull(value, "platform"));
        return this;
    }

    /** Opens the store with this provider, instead of one found by the URI's scheme; for tests with faults. */
    public HoldfastBuilder provider(StoreProvider value) {
        provider = Optional.of(value);
        return this;
    }

    /**
     * Connects.
     *
     * @throws IllegalStateException if no URI was given
     * @throws IllegalArgumentException if the URI is not understood; the text names the artifact to add for a known scheme;
     *     or if a safety is wanted that this store does not have
     * @throws StoreUnavailableException if the store cannot be reached within the connect timeout, unless {@link #lazy}
     * @throws StoreRefusedException if the store refuses, for example the password
     */
    public Holdfast build() {
        if (store.uri().isEmpty()) {
            throw new IllegalStateException("no uri: call uri(\"redis://localhost:6379\") before build()");
        }
        String shown = name.orElseGet(Client::defaultName);
        Settings settings = new Settings(
                store,
                shown,
                lease,
                maxOutage,
                closeTimeout,
                pollInterval,
                renewalBatch,
                maxHold,
                onMaxHold,
                recordPlaces,
                callbacks,
                provider);
        return Client.open(settings, listeners);
    }
}
