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
import java.util.OptionalInt;
import java.util.concurrent.Executor;

/**
 * A builder of clients. Each method checks its argument at once, and throws {@link IllegalArgumentException} if it is invalid.
 *
 * <p>{@link #build} can be called again to create another client with the same options.
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
    private OptionalInt renewalBatch = OptionalInt.empty();
    private final List<LockListener> listeners = new ArrayList<>();

    HoldfastBuilder() {}

    /** Sets the URI of the store; see {@link Holdfast#connect}. The URI is required. */
    public HoldfastBuilder uri(String value) {
        if (!Objects.requireNonNull(value, "the uri is null").matches("(?s)[A-Za-z][A-Za-z0-9+.-]*:.*")) {
            throw new IllegalArgumentException(
                    "the uri has no scheme (it is not shown, because it may contain a password); write for example"
                            + " 'redis://localhost:6379' or 'memory:'");
        }
        store = store.withUri(value);
        return this;
    }

    /**
     * Sets the name under which other clients see this client. The default is {@code host:pid}.
     *
     * @throws IllegalArgumentException if the name is not 1 to 100 printable ASCII characters without blanks
     */
    public HoldfastBuilder name(String value) {
        if (value.isBlank() || value.length() > 100 || !value.chars().allMatch(c -> c > ' ' && c < 127)) {
            throw new IllegalArgumentException(
                    "name '" + value + "' must be 1 to 100 printable ASCII characters without blanks");
        }
        name = Optional.of(value);
        return this;
    }

    /**
     * Sets a prefix that is put before every lock name in the store. The default is none.
     *
     * <p>Set a prefix if the store has data of other programs. At Redis, a lock is a key with the name of the lock. Clients
     * with different prefixes do not exclude each other.
     */
    public HoldfastBuilder keyPrefix(String value) {
        store = store.withKeyPrefix(Objects.requireNonNull(value, "keyPrefix"));
        return this;
    }

    /**
     * Sets the lease of every hold that the watchdog renews: the time after which the store releases the hold if no renewal
     * arrives. The watchdog renews it when a third of the lease has passed. The default is 30 s; the range is 100 ms to 365
     * days.
     */
    public HoldfastBuilder lease(Duration value) {
        lease = Durations.requireLease("lease", value);
        return this;
    }

    /**
     * Sets the maximum duration of one store call. The default is 2 s.
     *
     * <p>It also limits an acquire to which the store has not replied yet, whatever the wait of that acquire. If neither a
     * refusal nor a usable grant has arrived by then, the acquire fails with {@link StoreUnavailableException} or
     * {@link IndeterminateLockException}. A grant is not usable if its reply arrives after its lease has ended, or if it has
     * not reached the replicas and disks that {@link #safety} requires. The range is above zero to 365 days.
     */
    public HoldfastBuilder commandTimeout(Duration value) {
        store = store.withTimeouts(Durations.requirePositive("commandTimeout", value), store.connectTimeout());
        return this;
    }

    /**
     * Sets the time for which {@link #build} tries to connect. The default is 10 s; the range is above zero to 365 days.
     *
     * <p>The time in which a new process loads the classes of the driver should not count, and cannot be told from the silence of a
     * server. So Redis, ZooKeeper and etcd are waited for up to four times as long if nothing is heard of them.
     */
    public HoldfastBuilder connectTimeout(Duration value) {
        store = store.withTimeouts(store.commandTimeout(), Durations.requirePositive("connectTimeout", value));
        return this;
    }

    /**
     * Sets the replicas and disks that must have stored a grant before the client may use it. The default is
     * {@link Safety#async}.
     */
    public HoldfastBuilder safety(Safety value) {
        store = store.withSafety(Objects.requireNonNull(value, "safety"));
        return this;
    }

    /**
     * Makes the client connect at its first store call, instead of in {@link #build}. An unreachable store then fails that
     * call, not {@code build}.
     */
    public HoldfastBuilder lazy() {
        store = store.withLazy(true);
        return this;
    }

    /**
     * Sets how long a waiter tolerates an outage of the store. The default is 30 s; the range is above zero to 365 days.
     *
     * <p>It applies to a waiter that has received at least one reply. The time begins with the first request that gets neither
     * a refusal nor a usable grant (see {@link #commandTimeout}), or with the wait if that began later. When it is over, the
     * wait fails with {@link StoreUnavailableException} or {@link IndeterminateLockException}, even while a request is under
     * way.
     */
    public HoldfastBuilder maxOutage(Duration value) {
        maxOutage = Durations.requirePositive("maxOutage", value);
        return this;
    }

    /**
     * Sets the maximum time for which {@link Holdfast#close} waits for releases to be confirmed. The default is 5 s; the range
     * is above zero to 365 days.
     */
    public HoldfastBuilder closeTimeout(Duration value) {
        closeTimeout = Durations.requirePositive("closeTimeout", value);
        return this;
    }

    /**
     * Sets the interval at which a waiting client polls the store even if it received no message, so that a lost message delays
     * a waiter by at most this time. The default is 1 s, with jitter. The range is above zero to 20 s, because a store drops a
     * waiter that has not polled for 60 s.
     */
    public HoldfastBuilder pollInterval(Duration value) {
        pollInterval = Durations.requirePollInterval(value);
        return this;
    }

    /**
     * Sets the maximum number of leases that one store call renews, 1 to 1000. The default is stated by the store: 100 at all
     * present stores.
     */
    public HoldfastBuilder renewalBatch(int value) {
        if (value < 1 || value > 1_000) {
            throw new IllegalArgumentException("renewalBatch " + value + " is out of range: 1 to 1000");
        }
        renewalBatch = OptionalInt.of(value);
        return this;
    }

    /**
     * Sets the age at which a hold is reported with {@link LockEvent.HeldTooLong}, above zero to 365 days. By default, no hold
     * is reported.
     */
    public HoldfastBuilder maxHold(Duration value) {
        return maxHold(value, OnMaxHold.WARN);
    }

    /**
     * Sets the age at which a hold is reported with {@link LockEvent.HeldTooLong}, above zero to 365 days, and the action that
     * follows.
     */
    public HoldfastBuilder maxHold(Duration value, OnMaxHold then) {
        maxHold = Optional.of(Durations.requirePositive("maxHold", value));
        onMaxHold = Objects.requireNonNull(then, "onMaxHold");
        return this;
    }

    /**
     * Records the call site of each acquire, that is, the stack frames of the code that acquired the hold.
     *
     * <p>{@link LockEvent.Abandoned}, {@link LockEvent.HeldTooLong} and {@link Holdfast#inspect} then report the call site of a
     * lease, and of a thread that has ended. For a live thread they report its current stack, with or without this option. The
     * option is off by default, because a stack walk costs up to a quarter of the throughput of uncontended locks.
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
     * Sets the executor for completions of {@link AsyncLock} and the other asynchronous APIs. The default is two threads of the
     * client. The actions of {@link Lease#onLost} do not run on it, but on a thread of the client that has no other task.
     */
    public HoldfastBuilder callbackExecutor(Executor value) {
        callbacks = Optional.of(value);
        return this;
    }

    /** Sets the source of time, threads and randomness, for tests in virtual time. */
    public HoldfastBuilder platform(Platform value) {
        store = store.withPlatform(Objects.requireNonNull(value, "platform"));
        return this;
    }

    /**
     * Sets the provider that opens the store. Without it, the {@link java.util.ServiceLoader} finds one for the scheme of the
     * URI. With it, a test can inject faults between the client and the store.
     */
    public HoldfastBuilder provider(StoreProvider value) {
        provider = Optional.of(value);
        return this;
    }

    /**
     * Connects to the store and returns the client.
     *
     * @throws IllegalStateException if no URI was set
     * @throws IllegalArgumentException if the URI is not understood, in which case the text names the artifact to add for a
     *     known scheme; or if the store does not support the safety level
     * @throws StoreUnavailableException if the store cannot be reached within the connect timeout, unless the client is
     *     {@link #lazy}
     * @throws StoreRefusedException if the store refuses the connection, for example because of the password; or if the server
     *     cannot provide the safety level, because too few replicas are connected or its disk settings do not guarantee it
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
