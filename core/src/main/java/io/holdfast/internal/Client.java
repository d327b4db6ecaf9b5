package io.holdfast.internal;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.ClientHealth;
import io.holdfast.DistributedLatch;
import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Holdfast;
import io.holdfast.LatchCount;
import io.holdfast.LockListener;
import io.holdfast.LockObserver;
import io.holdfast.LockOptions;
import io.holdfast.LockReport;
import io.holdfast.Safety;
import io.holdfast.SemaphoreReport;
import io.holdfast.Stats;
import io.holdfast.internal.access.Awaiting;
import io.holdfast.internal.access.Durations;
import io.holdfast.internal.access.Settings;
import io.holdfast.internal.counted.ChangeTurns;
import io.holdfast.internal.counted.ClientLatch;
import io.holdfast.internal.counted.ClientSemaphore;
import io.holdfast.internal.counted.Counting;
import io.holdfast.internal.counted.LatchWatches;
import io.holdfast.internal.engine.Engine;
import io.holdfast.internal.engine.Events;
import io.holdfast.internal.engine.Threads;
import io.holdfast.internal.lock.ClientLock;
import io.holdfast.internal.lock.ClientParts;
import io.holdfast.internal.lock.ClientReadWriteLock;
import io.holdfast.internal.slot.Counters;
import io.holdfast.internal.slot.ErrorTexts;
import io.holdfast.internal.slot.HoldSpec;
import io.holdfast.internal.slot.MaxHold;
import io.holdfast.internal.slot.Settlement;
import io.holdfast.internal.slot.Slot;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Share;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreProvider;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One client. It opens and closes its parts, and checks the arguments of users. */
public final class Client implements Holdfast {

    private static final String RESERVED = "hf:{";
    private static final int MAX_NAME_BYTES = 512;
    private static final long CLOSE_POLL_NANOS = 10_000_000;
    private static final Map<String, String> ARTIFACTS = Map.ofEntries(
            Map.entry("redis", "redis"),
            Map.entry("rediss", "redis"),
            Map.entry("redis-sentinel", "redis"),
            Map.entry("rediss-sentinel", "redis"),
            Map.entry("redis-cluster", "redis"),
            Map.entry("rediss-cluster", "redis"),
            Map.entry("valkey", "redis"),
            Map.entry("valkeys", "redis"),
            Map.entry("jdbc", "jdbc"),
            Map.entry("zookeeper", "zookeeper"),
            Map.entry("zk", "zookeeper"),
            Map.entry("etcd", "etcd"),
            Map.entry("etcds", "etcd"),
            Map.entry("mongodb", "mongodb"),
            Map.entry("mongodb+srv", "mongodb"),
            Map.entry("memory", "memory"),
            Map.entry("embedded", "embedded-redis"));

    private static final Set<String> UNSUPPORTED = Set.of("consul postgresql postgres mysql mariadb".split(" "));

    private final Engine engine;
    private final Settings settings;
    private final LockStore store;
    private final ClientParts parts;
    private final Counting counting;
    private final LatchWatches latches;
    private final AtomicBoolean closing = new AtomicBoolean();

    private Client(Engine engine) {
        this.engine = engine;
        this.settings = engine.settings;
        this.store = engine.store;
        this.parts = new ClientParts(
                settings,
                engine.clientId,
                engine.slots,
                engine.holds,
                engine.waits,
                engine.inspector,
                engine.tasks,
                engine.observers);
        this.counting = new Counting(
                settings, store, engine.calls, engine.tasks, engine.config, engine::nextTenure, new ChangeTurns());
        this.latches = new LatchWatches(counting);
    }

    /** Connects to the store, and returns the client. */
    public static Holdfast open(Settings settings, List<LockListener> listeners) {
        Platform platform = settings.store().platform();
        LockReport.Client self = self(settings.name(), platform);
        StoreProvider provider =
                settings.provider().orElseGet(() -> providerFor(settings.store().uri()));
        requireSafety(settings, provider.replicates());
        Threads threads = Threads.of(platform, settings.name(), settings.callbacks());
        Events events = new Events(platform, settings.name(), self.id(), threads.timer(), listeners);
        AtomicReference<@Nullable Client> started = new AtomicReference<>();
        LockStore store = null;
        try {
            store = provider.open(config(settings.store(), self, started));
            Client client = new Client(new Engine(settings, self.id(), store, threads, events));
            client.engine.waits.requireLease("lease", settings.lease());
            started.set(client);
            events.info((settings.store().lazy() ? "connects later to " : "connected to ") + store.describe());
            return client;
        } catch (Throwable e) {
            threads.close();
            events.close();
            if (store != null) {
                store.close();
            }
            if (e instanceof StoreException refused) {
                throw ErrorTexts.failure("", refused.getMessage() + "", refused);
            }
            throw e;
        }
    }

    private static void requireSafety(Settings settings, boolean replicates) {
        Safety safety = settings.store().safety();
        if (!replicates && !safety.equals(Safety.async())) {
            throw new IllegalArgumentException("safety " + safety + ": a store of the scheme '"
                    + scheme(settings.store().uri())
                    + "' cannot wait for replicas or disks; remove it, or choose a store that can, such as Redis");
        }
    }

    private static LockReport.Client self(String name, Platform platform) {
        OptionalLong pid = OptionalLong.of(ProcessHandle.current().pid());
        return new LockReport.Client(randomUuid(platform).toString(), Optional.of(name), Optional.of(host()), pid);
    }

    /** Returns a random UUID of version 4. */
    private static UUID randomUuid(Platform platform) {
        long high = (platform.randomLong() & ~0xF000L) | 0x4000L;
        long low = (platform.randomLong() >>> 2) | (1L << 63);
        return new UUID(high, low);
    }

    /** Returns the default name of a client, {@code host:pid}. */
    public static String defaultName() {
        return host() + ":" + ProcessHandle.current().pid();
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown-host";
        }
    }

    /**
     * Adds the identity and the callbacks of this client to the options of the store. A signal that arrives before the client
     * is created is ignored, because nothing is held or awaited yet.
     */
    private static StoreConfig config(
            StoreConfig options, LockReport.Client self, AtomicReference<@Nullable Client> started) {
        return options.withClient(
                self,
                signal -> Optional.ofNullable(started.get()).ifPresent(client -> client.signal(signal)),
                name -> Optional.ofNullable(started.get()).flatMap(client -> client.engine.describe(name)));
    }

    private void signal(Signal signal) {
        engine.signal(signal);
        latches.signal(signal);
    }

    private static StoreProvider providerFor(String uri) {
        String scheme = scheme(uri);
        return providers()
                .filter(provider -> provider.schemes().contains(scheme))
                .findFirst()
                .orElseThrow(() -> unknownScheme(uri, scheme));
    }

    private static String scheme(String uri) {
        return uri.substring(0, uri.indexOf(':'));
    }

    private static Stream<StoreProvider> providers() {
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        return Stream.concat(
                        ServiceLoader.load(StoreProvider.class, context).stream(),
                        ServiceLoader.load(StoreProvider.class, Client.class.getClassLoader()).stream())
                .map(ServiceLoader.Provider::get);
    }

    private static IllegalArgumentException unknownScheme(String uri, String scheme) {
        String known = providers()
                .flatMap(p -> p.schemes().stream())
                .distinct()
                .sorted()
                .collect(Collectors.joining(", "));
        return new IllegalArgumentException(whyUnknown(uri, scheme) + " Schemes found: " + known);
    }

    private static String whyUnknown(String uri, String scheme) {
        if (scheme.equals("jdbc") && !uri.matches("(?s)jdbc:(postgresql|mysql|mariadb|h2):.*")) {
            return "the database of this jdbc: URL is not supported; PostgreSQL, MySQL, MariaDB and H2 are.";
        } else if (UNSUPPORTED.contains(scheme)) {
            return "a store for the scheme '" + scheme + "' is not supported yet.";
        }
        // in a login without a scheme, the text before the colon may be a secret
        boolean isLogin = uri.contains("@") && !uri.startsWith("//", scheme.length() + 1);
        String artifact = ARTIFACTS.get(scheme);
        return "no store for the scheme " + (isLogin ? "of the uri" : "'" + scheme + "'") + ": "
                + (artifact == null ? "misspelled?" : "add io.holdfast:holdfast-" + artifact + " to the class path.");
    }

    // ---- locks

    @Override
    public DistributedLock lock(String name, LockOptions options) {
        DistributedLock lock = lock(name, options, HoldSpec.Waiting.BARGING);
        if (!options.linger().isZero()) {
            Durations.requireLinger("lock " + quoted(name) + ": linger", options.linger(), Optional.of(lease(options)));
        }
        return lock;
    }

    @Override
    public DistributedLock fairLock(String name, LockOptions options) {
        Durations.requireNoLinger("fair lock " + quoted(name), options.linger());
        return lock(name, options, HoldSpec.Waiting.FAIR);
    }

    private DistributedLock lock(String name, LockOptions options, HoldSpec.Waiting waiting) {
        return new ClientLock(parts, name, spec("lock", name, options, waiting), options.reentrant());
    }

    @Override
    public DistributedReadWriteLock readWriteLock(String name, LockOptions options) {
        Durations.requireNoLinger("read/write lock " + quoted(name), options.linger());
        HoldSpec spec = spec("read/write lock", name, options, HoldSpec.Waiting.BARGING);
        return new ClientReadWriteLock(
                new ClientLock(parts, name, spec.withShare(Share.READ), options.reentrant()),
                new ClientLock(parts, name, spec.withShare(Share.WRITE), options.reentrant()));
    }

    @Override
    public DistributedSemaphore semaphore(String name, LockOptions options) {
        return semaphore(name, options, HoldSpec.Waiting.BARGING);
    }

    @Override
    public DistributedSemaphore fairSemaphore(String name, LockOptions options) {
        return semaphore(name, options, HoldSpec.Waiting.FAIR);
    }

    private DistributedSemaphore semaphore(String name, LockOptions options, HoldSpec.Waiting waiting) {
        Durations.requireNoLinger("semaphore " + quoted(name), options.linger());
        return new ClientSemaphore(parts, counting, name, spec("semaphore", name, options, waiting));
    }

    @Override
    public DistributedLatch countDownLatch(String name) {
        checkName("latch", name);
        checkOpen("latch", name);
        return new ClientLatch(counting, latches, name);
    }

    private HoldSpec spec(String what, String name, LockOptions options, HoldSpec.Waiting waiting) {
        checkName(what, name);
        checkOpen(what, name);
        HoldSpec spec =
                HoldSpec.renewed(lease(options), maxHold(options), waiting).withLinger(options.linger());
        // saves memory: all holds with the default options share one object
        return spec.equals(engine.config.spec()) ? engine.config.spec() : spec;
    }

    private Duration lease(LockOptions options) {
        return options.lease().orElse(settings.lease());
    }

    private MaxHold maxHold(LockOptions options) {
        return options.maxHold().isPresent()
                ? MaxHold.of(options.maxHold(), options.onMaxHold())
                : MaxHold.of(settings.maxHold(), settings.onMaxHold());
    }

    private void checkName(String what, String name) {
        int bytes = utf8Length(what, Objects.requireNonNull(name, () -> "the " + what + " name is null"));
        if (bytes < 1 || bytes > MAX_NAME_BYTES) {
            String start = name.isEmpty() ? "" : " that begins with " + quoted(start(name));
            throw new IllegalArgumentException(what + " name" + start + " has " + bytes + " bytes of UTF-8: 1 to "
                    + MAX_NAME_BYTES + " are allowed");
        }
        if ((settings.store().keyPrefix() + name).startsWith(RESERVED)) {
            throw new IllegalArgumentException(what + " name " + quoted(name) + " begins with '" + RESERVED
                    + "', which is reserved for the library's own keys");
        }
    }

    /** Returns the first characters of a name that is too long. */
    private static String start(String name) {
        return name.substring(0, name.offsetByCodePoints(0, 40));
    }

    private static int utf8Length(String what, String name) {
        try {
            return StandardCharsets.UTF_8
                    .newEncoder()
                    .encode(CharBuffer.wrap(name))
                    .remaining();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(
                    what + " name " + quoted(name) + " cannot be encoded as UTF-8: it has an unpaired surrogate", e);
        }
    }

    private void checkOpen(String what, String name) {
        if (closing.get()) {
            throw ErrorTexts.closed(what + " " + quoted(name), settings.name());
        }
    }

    @Override
    public LockReport inspect(String name) {
        checkName("lock", name);
        checkOpen("lock", name);
        return engine.inspector.inspect(name);
    }

    @Override
    public List<LockReport> list(String prefix) {
        checkOpen("lock", prefix);
        return engine.inspector.list(prefix);
    }

    @Override
    public Optional<SemaphoreReport> inspectSemaphore(String name) {
        checkName("semaphore", name);
        return counting.semaphore(name);
    }

    @Override
    public List<SemaphoreReport> listSemaphores(String prefix) {
        return counting.list("semaphores", prefix, store -> store.semaphores(prefix));
    }

    @Override
    public Optional<LatchCount> inspectLatch(String name) {
        checkName("latch", name);
        return latches.inspect(name);
    }

    @Override
    public List<LatchCount> listLatches(String prefix) {
        return counting.list("latches", prefix, store -> store.latches(prefix));
    }

    // ---- the rest

    @Override
    public void addListener(LockListener listener) {
        engine.events.add(listener);
    }

    @Override
    public void removeListener(LockListener listener) {
        engine.events.remove(listener);
    }

    @Override
    public void addObserver(LockObserver observer) {
        engine.observers.add(observer);
    }

    @Override
    public void removeObserver(LockObserver observer) {
        engine.observers.remove(observer);
    }

    @Override
    public ClientHealth health() {
        return engine.health.report();
    }

    @Override
    public Stats stats() {
        Counters c = engine.counters;
        int held = (int) engine.slots
                .all()
                .filter(s -> s.owner() != null)
                .map(s -> s.name)
                .distinct()
                .count();
        int waiting = engine.slots.all().mapToInt(Slot::waiterCount).sum();
        return new Stats(
                c.grants.sum(),
                c.handoffs.sum(),
                c.retaken.sum(),
                c.releases.sum(),
                c.lost.sum(),
                c.storeCalls.sum(),
                c.storeFailures.sum(),
                c.renewals.sum(),
                c.signals.sum(),
                c.renewalLagNanos.get() / 1_000,
                engine.events.dropped.sum(),
                c.renewalFailures.sum(),
                c.clockSteps.sum(),
                engine.roundTripMicros(),
                held,
                waiting,
                engine.settlements.open().size());
    }

    @Override
    public String scheme() {
        return scheme(settings.store().uri());
    }

    @Override
    public String clientId() {
        return engine.clientId;
    }

    @Override
    public void close() {
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        try {
            engine.shutDown();
        } finally {
            latches.close();
        }
        awaitSettlements();
        // an interrupt would end the last requests of the store
        boolean interrupted = Thread.interrupted();
        try {
            engine.settlements.open().forEach(this::reportUnsettled);
            engine.settlements.abandon();
            engine.calls.close();
            store.close();
        } finally {
            engine.threads.close();
            engine.events.info("closed");
            engine.events.close();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void awaitSettlements() {
        Platform platform = settings.store().platform();
        long deadline = platform.nanoTime() + Durations.nanos(settings.closeTimeout());
        while (!engine.settlements.open().isEmpty() && platform.nanoTime() - deadline < 0) {
            Awaiting.pause(platform, CLOSE_POLL_NANOS);
        }
    }

    private void reportUnsettled(Settlement settlement) {
        long left = (settlement.expiresAt - settings.store().platform().nanoTime()) / 1_000_000;
        engine.events.warnUnsettled(
                ErrorTexts.label(settlement.tenure.share.mode(), settlement.name),
                Instant.ofEpochMilli(settings.store().platform().wallMillis() + left));
    }

    @Override
    public String toString() {
        return "Holdfast client " + settings.name() + " (" + engine.clientId + ") at " + store.describe()
                + (closing.get() ? ", closed" : ", holds " + stats().held() + " names");
    }
}
