package io.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.LockReport;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Release;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.TenureId;
import io.holdfast.spi.TokenBlock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

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
        LockStore store = ServiceLoader.load(StoreProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> provider.schemes().contains("memory"))
                .findFirst()
                .orElseThrow()
                .open(StoreConfig.of(uri, LockReport.Client.unknown(client), simulation));
        open.add(store);
        return store;
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

    @Test
    void refusesOtherUris() {
        assertThatThrownBy(() -> open("redis://host", "a"))
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

    @Test
    void unusedTokensAreTakenBack() {
        LockStore store = open("memory:", "a");
        TokenBlock large = tokens(store, new TenureId("a", 1), 5 * TOKENS_PER_MICRO);
        assertThat(large.last() - large.first()).isEqualTo(5 * TOKENS_PER_MICRO - 1);
        Release release = Release.of("n", new TenureId("a", 1)).withLastToken(large.first() + TOKENS_PER_MICRO);
        assertThat(simulation.await(store.release(release)).held()).isTrue();
        assertThat(tokens(store, new TenureId("a", 2), 1).first()).isEqualTo(large.first() + 2 * TOKENS_PER_MICRO);
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
                .isEqualTo(second.first())
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
        assertThat(simulation.await(store.inspect("n")).lastToken()).hasValue(given.last());
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
        simulation.runFor(Duration.ofSeconds(41));
        assertThat(simulation.await(store.inspect("n")).waiters()).isEmpty();
    }
}
