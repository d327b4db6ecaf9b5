package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.LatchCount;
import io.holdfast.LockReport;
import io.holdfast.SemaphoreReport;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Change;
import io.holdfast.spi.CounterStore;
import io.holdfast.spi.ForwardingStore;
import io.holdfast.spi.LatchReport;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.PermitReport;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.ServerClock;
import io.holdfast.spi.Share;
import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.TenureId;
import io.holdfast.spi.TokenBlock;
import io.holdfast.testkit.SimulatedServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The contract finds stores that are broken, each by the rules it breaks. */
@Tag("ci")
class BrokenStoresTest {

    private static final AtomicLong UNIQUE = new AtomicLong(1_000);

    /**
     * A store with a fault.
     *
     * @param caughtBy rules that have to fail; others may fail, too, but not all
     */
    private record Broken(String fault, PlantedContract.Opener opener, Set<String> caughtBy) {

        static Broken store(String fault, UnaryOperator<LockStore> breaking, String... caughtBy) {
            return new Broken(
                    fault, server -> config -> breaking.apply(server.memory().open(config)), Set.of(caughtBy));
        }

        @Override
        public String toString() {
            return fault;
        }
    }

    @Test
    void aSoundStorePassesAll() {
        PlantedContract contract = new PlantedContract(server -> server.memory()::open, SimulatedServer::wipe);
        assertThat(contract.failures()).isEmpty();
        assertThat(contract.tests()).hasSizeGreaterThan(80);
        assertThat(contract.tests().map(DynamicTest::getDisplayName)).doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @MethodSource("brokenStores")
    void aBrokenStoreIsCaught(Broken broken) {
        PlantedContract contract = new PlantedContract(broken.opener, SimulatedServer::wipe);
        Set<String> failures = contract.failures();
        assertThat(failures).containsAll(broken.caughtBy);
        assertThat(failures.size()).isLessThan((int) contract.tests().count() / 2);
    }

    @Test
    void aStoreWhoseTokensStartAnewAfterDataLossIsCaught() {
        PlantedContract contract = new PlantedContract(server -> server.memory()::open, memory -> {
            memory.wipe();
            memory.stepClock(Duration.ofHours(-1));
        });
        assertThat(contract.failures())
                .containsExactlyInAnyOrder(
                        "tokens rise over the loss of all data, after many short tenures",
                        "tokens rise over the loss of all data, after many large blocks",
                        "after the loss of all data earlier settings are unknown, and numbers rise",
                        "after the loss of all data the old holder is lost, and others are granted");
    }

    @Test
    void aStoreThatLeavesSomethingBehindIsCaught() {
        PlantedContract contract = new PlantedContract(
                server -> config -> {
                    var unused = server.simulation().timer("left").schedule(1, () -> {});
                    return server.memory().open(config);
                },
                SimulatedServer::wipe);
        assertThatThrownBy(contract::failures)
                .hasMessageContaining("left behind")
                .hasMessageContaining("timer left");
    }

    static Stream<Broken> brokenStores() {
        return Stream.of(
                Broken.store(
                        "releases without an owner check",
                        OwnerlessRelease::new,
                        "a release by another tenure changes nothing",
                        "a release by another tenure of the same client changes nothing",
                        "a second copy does not free the name of the next holder",
                        "a release after the lease does not free the name of the next holder",
                        "a withdrawal does not affect the holder or other positions",
                        "a late duplicate of a yielding release does not affect the assigned hold"),
                Broken.store(
                        "takes each release that finds nothing for a loss",
                        store -> new JudgedRelease(store, true),
                        "a repeated release reports no loss if an earlier copy was applied"),
                Broken.store(
                        "takes no release that finds nothing for a loss",
                        store -> new JudgedRelease(store, false),
                        "a repeated release reports the loss of a hold that was taken away",
                        "a repeated release reports the loss of a hold whose lease ended"),
                Broken.store(
                        "repeats tokens",
                        RepeatedTokens::new,
                        "a second copy is granted again, with higher tokens",
                        "tokens rise from one holder to the next",
                        "tokens rise when a lease has ended",
                        "tokens rise over a forced release",
                        "tokens rise over large blocks",
                        "tokens rise over further blocks for the holder",
                        "tokens rise over the loss of all data, after many short tenures"),
                Broken.store(
                        "promises more than the lease",
                        PromisesMore::new,
                        "a grant is valid for its lease, or for less",
                        "a renewal is valid for its lease, or for less"),
                Broken.store(
                        "does not recognise a second copy",
                        ForgetsCopies::new,
                        "a second copy is granted again, with higher tokens",
                        "a duplicate extends the lease"),
                Broken.store(
                        "takes each copy of a change for another one",
                        store -> onChange(store, BrokenStoresTest::asAnother),
                        "a duplicate of a change of permits has no further effect",
                        "a duplicate of a change of a latch has no further effect"),
                Broken.store(
                        "makes changes that come too late",
                        store -> onChange(store, change -> change.withNotAfter(Long.MAX_VALUE)),
                        "a late change of permits is not applied",
                        "a late change of a latch is not applied"),
                Broken.store(
                        "takes one permit for any number",
                        store -> onAcquire(store, BrokenStoresTest::forOnePermit),
                        "permits are granted while enough are free",
                        "a request for more permits than there are is refused",
                        "released permits are assigned in order, as far as they suffice"),
                Broken.store(
                        "knows nobody who is fair",
                        store -> onAcquire(store, BrokenStoresTest::notFair),
                        "only a non-fair request takes permits that are too few for the first waiter",
                        "no request acquires permits before a fair position"),
                Broken.store(
                        "ignores leases",
                        store -> onAcquire(store, request -> request.withLease(Duration.ofDays(1))),
                        "a name is free again when its lease has ended",
                        "a hold whose lease has ended is lost, also when the name is free",
                        "a hold whose lease has ended is not held at its release",
                        "holds of a closed connection stay until their leases end"),
                Broken.store(
                        "accepts late requests",
                        store -> onAcquire(store, BrokenStoresTest::neverLate),
                        "a late request is answered as late, and acquires nothing",
                        "a late duplicate of the holder's request is answered as late, and does not extend the lease"),
                Broken.store(
                        "forgets the old place",
                        store -> onAcquire(store, BrokenStoresTest::withoutArrival),
                        "a notified client can lose the race and gets its old position back"),
                Broken.store(
                        "queues who does not want to wait",
                        store -> onAcquire(store, BrokenStoresTest::enqueued),
                        "a request without queueing gets no position",
                        "a release without waiters sends no message"),
                Broken.store(
                        "takes names for the same that are not",
                        store -> onAcquire(store, BrokenStoresTest::lowerCase),
                        "names with any characters are kept apart"),
                Broken.store(
                        "cuts names",
                        store -> onAcquire(store, BrokenStoresTest::cut),
                        "the longest name it allows is kept"),
                Broken.store(
                        "revives ended holds",
                        RevivesHolds::new,
                        "a hold whose lease has ended is lost, also when the name is free",
                        "a tenure that never held is lost, and is not created",
                        "a forcibly released hold is lost, and reported as not held at its release"),
                Broken.store(
                        "answers a batch out of order",
                        ReversesBatches::new,
                        "a batch is answered in its order, each by itself"),
                Broken.store(
                        "never assigns",
                        NeverAssigns::new,
                        "a yielding release assigns the name to the first position",
                        "yielding releases assign in the order of arrival",
                        "tokens rise over a yield"),
                Broken.store(
                        "takes readers for writers",
                        store -> onAcquire(store, BrokenStoresTest::asWriter),
                        "any number of owners can read at once, and nobody can write then",
                        "a writer can also read, and continues to read after it releases the write lock"),
                Broken.store(
                        "takes all for readers",
                        store -> onAcquire(store, BrokenStoresTest::asReader),
                        "a writer is alone",
                        "a writer is assigned the name when the last reader has released",
                        "all readers are notified of a waiting writer, even of its own client"),
                Broken.store(
                        "forgets floors",
                        ForgetsFloors::new,
                        "after a renewal with a floor later tokens are above it",
                        "tokens requested together with a floor are above it",
                        "a floor survives expiry and many short tenures",
                        "each floor of a batch is for its own name"),
                Broken.store(
                        "assigns for longer than it declares",
                        store -> declaring(store, able -> able.withClaimWindow(Duration.ofMillis(500))),
                        "an assignment lasts for one claim window at most",
                        "a fair assignment lasts no longer than the lease of its position"),
                new Broken(
                        "takes more fair places than it declares",
                        server -> config -> declaring(server.memory().open(config), able -> able.withFairPlaces(10)),
                        Set.of("a client has as many fair positions as declared, and no more")),
                Broken.store(
                        "takes no notice of how long a place has waited",
                        store -> declaring(
                                onAcquire(store, request -> request.withWaited(Duration.ZERO)),
                                able -> able.withFairPlaces(1_000)),
                        "a position that has waited elsewhere comes before later ones"),
                Broken.store("stays open", StaysOpen::new, "a closed connection fails all calls"),
                new Broken(
                        "ignores the key prefix",
                        server -> config -> server.memory().open(with(config, "", config.signals())),
                        Set.of("clients with different key prefixes do not meet")),
                new Broken(
                        "lets a request that waits be decided by the time at which it came",
                        server ->
                                config -> new WaitsForTheRecord(server.memory().open(config), config.platform()),
                        Set.of("a copy of a request is not applied after a release after its time")),
                new Broken(
                        "wakes everybody",
                        server -> config -> {
                            server.clients().add(config.signals());
                            return server.memory()
                                    .open(with(
                                            config,
                                            config.keyPrefix(),
                                            signal -> server.clients().forEach(client -> client.accept(signal))));
                        },
                        Set.of(
                                "a release notifies the first waiting client, and no other",
                                "a forced release notifies the first waiting client",
                                "the holder's client is notified of a new position, once")),
                new Broken(
                        "loses signals",
                        server -> config -> server.memory().open(with(config, config.keyPrefix(), signal -> {})),
                        Set.of(
                                "the holder's client is notified of a new position, once",
                                "a release notifies the first waiting client, and no other",
                                "the holder's client is notified of a forced release")),
                new Broken(
                        "does not ask the holder",
                        server -> config -> server.memory().open(withoutDescriber(config)),
                        Set.of("a report shows the description by the holder's client")));
    }

    private static StoreConfig with(StoreConfig config, String keyPrefix, Consumer<Signal> signals) {
        return config.withKeyPrefix(keyPrefix).withClient(config.client(), signals, config.describer());
    }

    private static StoreConfig withoutDescriber(StoreConfig config) {
        return config.withClient(config.client(), config.signals(), name -> Optional.empty());
    }

    private static Acquire neverLate(Acquire request) {
        return request.withNotAfter(Long.MAX_VALUE);
    }

    private static Acquire withoutArrival(Acquire request) {
        return request.queued(request.queueing(), 0);
    }

    private static Acquire asWriter(Acquire request) {
        return request.share().mode() == Mode.READ ? request.withShare(Share.WRITE) : request;
    }

    private static Acquire asReader(Acquire request) {
        return request.share().mode() == Mode.WRITE ? request.withShare(Share.READ) : request;
    }

    private static Acquire enqueued(Acquire request) {
        boolean waits = request.queueing() != Acquire.Queueing.NONE;
        return waits ? request : request.queued(Acquire.Queueing.BARGING, request.arrival());
    }

    private static Acquire forOnePermit(Acquire request) {
        return request.share().permits() > 1 ? request.withShare(Share.permits(1)) : request;
    }

    private static Acquire notFair(Acquire request) {
        boolean fair =
                request.queueing() == Acquire.Queueing.FAIR && request.share().mode() == Share.Mode.PERMITS;
        return fair ? request.queued(Acquire.Queueing.BARGING, request.arrival()) : request;
    }

    private static Change asAnother(Change change) {
        TenureId id = new TenureId(change.id().clientId(), UNIQUE.incrementAndGet());
        return new Change(change.kind(), change.name(), id, change.amount(), change.life(), change.notAfter());
    }

    private static LockStore onChange(LockStore store, UnaryOperator<Change> broken) {
        return new ForwardingStore(store) {
            @Override
            public CounterStore counters() {
                CounterStore sound = super.counters();
                return new CounterStore() {
                    @Override
                    public CompletionStage<Change.Reply> change(Change request) {
                        return sound.change(broken.apply(request));
                    }

                    @Override
                    public CompletionStage<PermitReport> permits(String name) {
                        return sound.permits(name);
                    }

                    @Override
                    public CompletionStage<List<SemaphoreReport>> semaphores(String prefix) {
                        return sound.semaphores(prefix);
                    }

                    @Override
                    public CompletionStage<List<LatchCount>> latches(String prefix) {
                        return sound.latches(prefix);
                    }

                    @Override
                    public CompletionStage<Boolean> revoke(String name, TenureId permit) {
                        return sound.revoke(name, permit);
                    }

                    @Override
                    public CompletionStage<LatchReport> latch(String name, boolean listening) {
                        return sound.latch(name, listening);
                    }
                };
            }
        };
    }

    private static Acquire lowerCase(Acquire request) {
        return request.withName(request.name().toLowerCase(Locale.ROOT));
    }

    private static Acquire cut(Acquire request) {
        return request.withName(
                request.name().substring(0, Math.min(100, request.name().length())));
    }

    private static LockStore declaring(LockStore store, UnaryOperator<Capabilities> change) {
        return new ForwardingStore(store) {
            @Override
            public Capabilities capabilities() {
                return change.apply(super.capabilities());
            }
        };
    }

    private static LockStore onAcquire(LockStore store, UnaryOperator<Acquire> change) {
        return new ForwardingStore(store) {
            @Override
            public CompletionStage<Acquire.Reply> acquire(Acquire request) {
                return super.acquire(change.apply(request));
            }
        };
    }

    /** Checks that a request is not late, waits, and then writes. Only requests whose time is almost over have to wait. */
    private static final class WaitsForTheRecord extends ForwardingStore {

        private final Platform platform;
        private final Platform.Timer timer;
        private final ServerClock exact = new ServerClock();

        WaitsForTheRecord(LockStore store, Platform platform) {
            super(store);
            this.platform = platform;
            timer = platform.timer("waits for the record");
        }

        @Override
        public CompletionStage<Acquire.Reply> acquire(Acquire request) {
            long left = request.notAfter() - exact.notAfter(platform.nanoTime(), Duration.ZERO);
            if (left < 0 || left > 1_000_000) {
                return super.acquire(request);
            }
            CompletableFuture<Acquire.Reply> reply = new CompletableFuture<>();
            var unused = timer.schedule(
                    20_000_000,
                    () -> super.acquire(neverLate(request)).whenComplete((answer, e) -> {
                        if (e == null) {
                            reply.complete(answer);
                        } else {
                            reply.completeExceptionally(e);
                        }
                    }));
            return reply;
        }

        @Override
        public CompletionStage<Release.Reply> release(Release request) {
            long sent = platform.nanoTime();
            return super.release(request).thenApply(reply -> {
                exact.observe(sent, reply.serverMicros());
                return reply;
            });
        }

        @Override
        public void close() {
            timer.close();
            super.close();
        }
    }

    private static final class OwnerlessRelease extends ForwardingStore {

        OwnerlessRelease(LockStore store) {
            super(store);
        }

        @Override
        public CompletionStage<Release.Reply> release(Release request) {
            return store().acquire(Acquire.of(request.name(), new TenureId("nobody", 1), Duration.ofSeconds(1)))
                    .thenCompose(reply -> store().release(new Release(
                            request.name(),
                            reply instanceof Acquire.Refused refused
                                    ? TenureId.parse(refused.holder().orElseThrow())
                                    : request.tenure(),
                            request.mode(),
                            request.yield(),
                            request.lastToken(),
                            request.keptToken(),
                            request.places())));
        }
    }

    private static final class JudgedRelease extends ForwardingStore {

        private final boolean lost;

        JudgedRelease(LockStore store, boolean lost) {
            super(store);
            this.lost = lost;
        }

        @Override
        public CompletionStage<Release.Reply> release(Release request) {
            return super.release(request)
                    .thenApply(reply -> new Release.Reply(
                            reply.held(), reply.foreignWaiters(), reply.serverMicros(), lost && !reply.held()));
        }
    }

    private static final class RepeatedTokens extends ForwardingStore {

        private static final TokenBlock ALWAYS = new TokenBlock(1, 1);

        RepeatedTokens(LockStore store) {
            super(store);
        }

        @Override
        public CompletionStage<Acquire.Reply> acquire(Acquire request) {
            return super.acquire(request)
                    .thenApply(reply -> reply instanceof Acquire.Granted granted
                            ? new Acquire.Granted(
                                    ALWAYS,
                                    granted.valid(),
                                    granted.foreignWaiters(),
                                    granted.behind(),
                                    granted.permits(),
                                    granted.serverMicros())
                            : reply);
        }

        @Override
        public CompletionStage<List<Renew.Reply>> renew(List<Renew> batch) {
            return super.renew(batch)
                    .thenApply(replies -> replies.stream()
                            .map(reply -> reply instanceof Renew.Renewed renewed
                                    ? new Renew.Renewed(
                                            renewed.valid(),
                                            renewed.foreignWaiters(),
                                            renewed.tokens().map(tokens -> ALWAYS),
                                            renewed.serverMicros())
                                    : reply)
                            .toList());
        }
    }

    private static final class PromisesMore extends ForwardingStore {

        PromisesMore(LockStore store) {
            super(store);
        }

        @Override
        public CompletionStage<Acquire.Reply> acquire(Acquire request) {
            return super.acquire(request)
                    .thenApply(reply -> reply instanceof Acquire.Granted granted
                            ? new Acquire.Granted(
                                    granted.tokens(),
                                    granted.valid().multipliedBy(2),
                                    granted.foreignWaiters(),
                                    granted.behind(),
                                    granted.permits(),
                                    granted.serverMicros())
                            : reply);
        }

        @Override
        public CompletionStage<List<Renew.Reply>> renew(List<Renew> batch) {
            return super.renew(batch)
                    .thenApply(replies -> replies.stream()
                            .map(reply -> reply instanceof Renew.Renewed renewed
                                    ? new Renew.Renewed(
                                            renewed.valid().multipliedBy(2),
                                            renewed.foreignWaiters(),
                                            renewed.tokens(),
                                            renewed.serverMicros())
                                    : reply)
                            .toList());
        }
    }

    private static final class ForgetsCopies extends ForwardingStore {

        ForgetsCopies(LockStore store) {
            super(store);
        }

        @Override
        public CompletionStage<Acquire.Reply> acquire(Acquire request) {
            return renew(List.of(new Renew(request.name(), request.tenure(), Duration.ZERO, 0)))
                    .thenCompose(replies -> replies.get(0) instanceof Renew.Renewed renewed
                            ? CompletableFuture.completedFuture(new Acquire.Refused(
                                    Duration.ofSeconds(1), 0, List.of(), Optional.empty(), renewed.serverMicros(), 0))
                            : super.acquire(request));
        }
    }

    private static final class ForgetsFloors extends ForwardingStore {

        ForgetsFloors(LockStore store) {
            super(store);
        }

        @Override
        public CompletionStage<List<Renew.Reply>> renew(List<Renew> batch) {
            return super.renew(
                    batch.stream().map(request -> request.withFloor(0)).toList());
        }
    }

    private static final class RevivesHolds extends ForwardingStore {

        RevivesHolds(LockStore store) {
            super(store);
        }

        @Override
        public CompletionStage<List<Renew.Reply>> renew(List<Renew> batch) {
            return super.renew(batch)
                    .thenCompose(replies -> batch.size() == 1 && replies.get(0) instanceof Renew.Lost
                            ? revive(batch.get(0))
                            : done(replies));
        }

        private CompletionStage<List<Renew.Reply>> revive(Renew lost) {
            return acquire(Acquire.of(lost.name(), lost.tenure(), lost.lease()))
                    .thenApply(reply -> List.of(
                            reply instanceof Acquire.Granted
                                    ? new Renew.Renewed(lost.lease(), 0, Optional.empty(), reply.serverMicros())
                                    : new Renew.Lost()));
        }

        private static CompletionStage<List<Renew.Reply>> done(List<Renew.Reply> replies) {
            return CompletableFuture.completedFuture(replies);
        }
    }

    private static final class ReversesBatches extends ForwardingStore {

        ReversesBatches(LockStore store) {
            super(store);
        }

        @Override
        public CompletionStage<List<Renew.Reply>> renew(List<Renew> batch) {
            List<Renew> rotated = new ArrayList<>(batch);
            if (batch.size() > 1) {
                rotated.add(rotated.remove(0));
            }
            return super.renew(rotated);
        }
    }

    private static final class NeverAssigns extends ForwardingStore {

        NeverAssigns(LockStore store) {
            super(store);
        }

        @Override
        public CompletionStage<Release.Reply> release(Release request) {
            return super.release(request.withYield(false));
        }
    }

    private static final class StaysOpen extends ForwardingStore {

        StaysOpen(LockStore store) {
            super(store);
        }

        @Override
        public CompletionStage<LockReport> inspect(String name) {
            return super.inspect(name)
                    .exceptionally(e -> new LockReport(name, List.of(), List.of(), java.util.OptionalLong.empty()));
        }
    }
}
