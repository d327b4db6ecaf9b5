package io.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.LockReport;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Change;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Share;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.TenureId;
import io.holdfast.spi.TokenBlock;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the in-memory store does beyond the rules of all stores. */
class MemoryStoreTest {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final int TOKENS_PER_MICRO = 1_024;

    private final Simulation simulation = Simulation.of(4);
    private final List<LockStore> open = new ArrayList<>();

    @AfterEach
    void close() {
        open.forEach(LockStore::close);
        simulation.runReady();
        assertThat(simulation.leftovers()).isEmpty();
        simulation.close();
    }

    private LockStore open(String uri, String client) {
        LockStore store = provider().open(StoreConfig.of(uri, LockReport.Client.unknown(client), simulation));
        open.add(store);
        return store;
    }

    private static StoreProvider provider() {
        return ServiceLoader.load(StoreProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> provider.schemes().contains("memory"))
                .findFirst()
                .orElseThrow();
    }

    private static CompletionStage<Acquire.Reply> acquire(LockStore store, TenureId tenure, long tokens) {
        return store.acquire(Acquire.of("n", tenure, LEASE)
                .queued(Acquire.Queueing.BARGING, 0)
                .withTokens(tokens));
    }

    private TokenBlock tokens(LockStore store, TenureId tenure, long tokens) {
        return ((Acquire.Granted) simulation.await(acquire(store, tenure, tokens))).tokens();
    }

    private boolean isGranted(LockStore store, TenureId tenure) {
        return simulation.await(acquire(store, tenure, 1)) instanceof Acquire.Granted;
    }

    @Test
    void withoutANameIsPrivate() {
        assertThat(isGranted(open("memory:", "a"), new TenureId("a", 1))).isTrue();
        assertThat(isGranted(open("memory:", "b"), new TenureId("b", 1))).isTrue();
    }

    @Test
    void withANameIsShared() {
        assertThat(isGranted(open("memory:shared", "a"), new TenureId("a", 1))).isTrue();
        assertThat(isGranted(open("memory:shared", "b"), new TenureId("b", 1))).isFalse();
        assertThat(isGranted(open("memory:another", "c"), new TenureId("c", 1))).isTrue();
    }

    @Test
    void isGoneWithItsLastUser() {
        LockStore first = open("memory:shared", "a");
        LockStore second = open("memory:shared", "b");
        assertThat(isGranted(first, new TenureId("a", 1))).isTrue();
        first.close();
        first.close();
        assertThat(isGranted(second, new TenureId("b", 1))).isFalse();
        second.close();
        assertThat(isGranted(open("memory:shared", "c"), new TenureId("c", 1))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis://host",
                "memory:shared?limit=standard",
                "memory:shared?limits=standard&claimWindow=1",
                "memory:?limits=standard"
            })
    void refusesOtherUris(String uri) {
        assertThatThrownBy(() -> open(uri, "a"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("memory:NAME");
    }

    @Test
    void repliesAtOnce() {
        LockStore store = open("memory:", "a");
        assertThat(acquire(store, new TenureId("a", 1), 1)).isCompleted();
        assertThat(store.inspect("n")).isCompleted();
    }

    @Test
    void tokensAreNeverFarAheadOfTheClock() {
        LockStore store = open("memory:", "a");
        TenureId tenure = new TenureId("a", 1);
        long clock = simulation.wallMillis() * 1_000;
        TokenBlock large = tokens(store, tenure, Long.MAX_VALUE);
        assertThat(large.first() / TOKENS_PER_MICRO).isEqualTo(clock);
        assertThat(large.last() / TOKENS_PER_MICRO).isLessThan(clock + 10_000);
        TokenBlock next = tokens(store, tenure, Long.MAX_VALUE);
        assertThat(next.first()).isEqualTo(large.last() + 1);
        assertThat(next.last() - next.first()).isEqualTo(TOKENS_PER_MICRO - 1);
    }

    /** The mark of a release takes the unit after the last one that was used. */
    @Test
    void unusedTokensAreTakenBack() {
        LockStore store = open("memory:", "a");
        TokenBlock large = tokens(store, new TenureId("a", 1), 5 * TOKENS_PER_MICRO);
        assertThat(large.last() - large.first()).isEqualTo(5 * TOKENS_PER_MICRO - 1);
        Release release = Release.of("n", new TenureId("a", 1)).withLastToken(large.first() + TOKENS_PER_MICRO);
        assertThat(simulation.await(store.release(release)).held()).isTrue();
        assertThat(tokens(store, new TenureId("a", 2), 1).first()).isEqualTo(large.first() + 3 * TOKENS_PER_MICRO);
    }

    @Test
    void tokensAreTakenBackFromTheHolderOnly() {
        LockStore store = open("memory:", "a");
        TokenBlock first = tokens(store, new TenureId("a", 1), 5 * TOKENS_PER_MICRO);
        Release all = Release.of("n", new TenureId("a", 1)).withLastToken(first.last());
        assertThat(simulation.await(store.release(all)).held()).isTrue();
        TokenBlock second = tokens(store, new TenureId("a", 2), 1);
        Release tooLow = Release.of("n", new TenureId("a", 2)).withLastToken(first.first());
        assertThat(simulation.await(store.release(tooLow)).held()).isTrue();
        assertThat(tokens(store, new TenureId("a", 3), 1).first())
                .isEqualTo(second.first() + TOKENS_PER_MICRO)
                .isGreaterThan(first.last());
    }

    @Test
    void tokensAreKeptForDaysAndNotForEver() {
        LockStore store = open("memory:", "a");
        TenureId tenure = new TenureId("a", 1);
        TokenBlock given = tokens(store, tenure, 1);
        assertThat(simulation.await(store.release(Release.of("n", tenure))).held())
                .isTrue();
        simulation.runFor(Duration.ofDays(7));
        assertThat(simulation.await(store.inspect("n")).lastToken()).hasValue(given.last() + TOKENS_PER_MICRO);
        simulation.runFor(Duration.ofSeconds(1));
        assertThat(simulation.await(store.inspect("n")).lastToken()).isEmpty();
    }

    @Test
    void aPlaceNobodyAsksForAgainIsDropped() {
        LockStore store = open("memory:shared", "a");
        LockStore other = open("memory:shared", "b");
        assertThat(isGranted(store, new TenureId("a", 1))).isTrue();
        assertThat(isGranted(other, new TenureId("b", 1))).isFalse();
        simulation.runFor(Duration.ofSeconds(20));
        assertThat(isGranted(store, new TenureId("a", 1))).isTrue();
        assertThat(simulation.await(store.inspect("n")).waiters()).hasSize(1);
        simulation.runFor(Duration.ofSeconds(56));
        assertThat(simulation.await(store.inspect("n")).waiters()).isEmpty();
    }

    @Test
    void renewalsOfOneNameAreAnsweredInTheirOrder() {
        LockStore store = open("memory:", "a");
        for (int reader = 1; reader <= 3; reader++) {
            assertThat(store.acquire(
                            Acquire.of("n", new TenureId("a", reader), LEASE).withShare(Share.READ)))
                    .isCompleted();
        }
        Release release = Release.of("n", new TenureId("a", 2)).withMode(Share.Mode.READ);
        assertThat(simulation.await(store.release(release)).held()).isTrue();
        List<Renew> batch = List.of(
                new Renew("n", new TenureId("a", 3), Share.Mode.READ, LEASE, 1),
                new Renew("other", new TenureId("a", 3), LEASE, 0),
                new Renew("n", new TenureId("a", 2), Share.Mode.READ, LEASE, 1),
                new Renew("n", new TenureId("a", 1), Share.Mode.READ, LEASE, 0));
        List<Renew.Reply> replies = simulation.await(store.renew(batch));
        assertThat(replies)
                .extracting(Object::getClass)
                .containsExactly(Renew.Renewed.class, Renew.Lost.class, Renew.Lost.class, Renew.Renewed.class);
        assertThat(((Renew.Renewed) replies.get(0)).tokens()).isPresent();
        assertThat(((Renew.Renewed) replies.get(3)).tokens()).isEmpty();
    }

    @Test
    void aRenewalThatFailsDoesNotFailTheOthersOfItsName() {
        LockStore store = open("memory:", "a");
        for (int reader = 1; reader <= 2; reader++) {
            assertThat(store.acquire(
                            Acquire.of("n", new TenureId("a", reader), LEASE).withShare(Share.READ)))
                    .isCompleted();
        }
        List<Renew.Reply> replies = simulation.await(store.renew(List.of(
                new Renew("n", new TenureId("a", 1), Share.Mode.READ, LEASE, 0).withFloor(Long.MAX_VALUE),
                new Renew("n", new TenureId("a", 2), Share.Mode.READ, LEASE, 0))));
        assertThat(replies).extracting(Object::getClass).containsExactly(Renew.Failed.class, Renew.Renewed.class);
    }

    @Test
    void aRenewalThatFailsDoesNotFailTheOthers() {
        LockStore store = open("memory:", "a");
        TenureId tenure = new TenureId("a", 1);
        for (String name : List.of("n", "other")) {
            assertThat(store.acquire(Acquire.of(name, tenure, LEASE))).isCompleted();
        }
        List<Renew.Reply> replies = simulation.await(store.renew(List.of(
                new Renew("n", tenure, LEASE, 1).withFloor(Long.MAX_VALUE), new Renew("other", tenure, LEASE, 1))));
        assertThat(replies.get(0))
                .isInstanceOfSatisfying(
                        Renew.Failed.class,
                        failed -> assertThat(failed.cause().effect()).isEqualTo(StoreException.Effect.REFUSED));
        assertThat(replies.get(1)).isInstanceOf(Renew.Renewed.class);
        assertThat(simulation.await(store.list(""))).hasSize(2);
        assertThat(isGranted(store, tenure)).isTrue();
    }

    @Test
    void theRenewalsOfAClosedStoreFailTogether() {
        LockStore store = open("memory:", "a");
        store.close();
        assertThat(store.renew(List.of(new Renew("n", new TenureId("a", 1), LEASE, 1))))
                .isCompletedExceptionally();
    }

    // ---- a client without threads or memory

    private final AtomicReference<String> scarce = new AtomicReference<>("");

    /** Returns a platform on which one method fails, while a test wants it. */
    private Platform scarce() {
        return (Platform) Proxy.newProxyInstance(
                Platform.class.getClassLoader(), new Class<?>[] {Platform.class}, (proxy, method, arguments) -> {
                    failWithin(method.getName());
                    Object result = method.invoke(simulation, arguments);
                    return result instanceof Platform.Worker worker ? scarce(worker) : result;
                });
    }

    private Platform.Worker scarce(Platform.Worker worker) {
        return new Platform.Worker() {
            @Override
            public void execute(Runnable task) {
                failWithin("execute");
                worker.execute(task);
            }

            @Override
            public void close() {
                worker.close();
            }
        };
    }

    private void failWithin(String method) {
        if (scarce.get().equals(method)) {
            throw new InternalError("no thread can be started");
        }
    }

    private LockStore open(String client, Platform platform, List<Signal> signals) {
        LockStore store = provider()
                .open(StoreConfig.of("memory:shared", LockReport.Client.unknown(client), platform)
                        .withClient(LockReport.Client.unknown(client), signals::add, name -> Optional.empty()));
        open.add(store);
        return store;
    }

    private boolean changes(LockStore store, Change.Kind kind, long number) {
        Change change = new Change(kind, "n", new TenureId("a", number), 1, Optional.empty(), Long.MAX_VALUE);
        return ((Change.Done) simulation.await(store.counters().change(change))).applied();
    }

    private void listens(LockStore store) {
        assertThat(simulation.await(store.counters().latch("n", true)).count()).isEqualTo(1);
    }

    @Test
    void aClientWithoutThreadsCostsOthersNoSignal() {
        List<Signal> poor = new ArrayList<>();
        List<Signal> rich = new ArrayList<>();
        LockStore asking = open("a", simulation, new ArrayList<>());
        LockStore first = open("b", scarce(), poor);
        LockStore second = open("c", simulation, rich);
        assertThat(changes(asking, Change.Kind.TRY_COUNT, 1)).isTrue();
        listens(first);
        listens(second);
        scarce.set("execute");
        assertThat(changes(asking, Change.Kind.RESET_COUNT, 2)).isTrue();
        simulation.runReady();
        assertThat(rich).containsExactly(new Signal.Changed("n"));
        assertThat(poor).isEmpty();
        scarce.set("");
        listens(first);
        assertThat(changes(asking, Change.Kind.COUNT_DOWN, 3)).isTrue();
        simulation.runReady();
        assertThat(poor).hasSize(2).first().isInstanceOf(Signal.Gap.class);
        assertThat(poor.get(1)).isEqualTo(new Signal.Changed("n"));
    }

    @Test
    void anErrorFailsTheStageAndIsNotThrown() {
        LockStore store = open("b", scarce(), new ArrayList<>());
        scarce.set("nanoTime");
        assertThat(store.inspect("n")).isCompletedExceptionally();
        scarce.set("");
        assertThat(store.inspect("n")).isCompleted();
    }
}
