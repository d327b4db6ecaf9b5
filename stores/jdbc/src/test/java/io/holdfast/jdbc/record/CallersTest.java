package io.holdfast.jdbc.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.holdfast.LockReport;
import io.holdfast.jdbc.sql.H2;
import io.holdfast.jdbc.sql.Tables;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Change;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Share;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.spi.TenureId;
import io.holdfast.testkit.Await;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/** A store whose one caller waits in the database. */
@Timeout(180)
class CallersTest {

    private static final Duration COMMAND = Duration.ofMillis(400);
    private static final Duration LEASE = Duration.ofSeconds(9);
    private static final String NAME = "lock";

    private final TenureId tenure = new TenureId("me", 1);
    private final OneCaller sessions = new OneCaller();
    private final StoreConfig config = StoreConfig.of("jdbc:test", LockReport.Client.unknown("me"), Platform.system())
            .withTimeouts(COMMAND, COMMAND)
            .withLazy(true);
    private final TableStore store =
            TableStore.open(config, new H2(Tables.DEFAULT), sessions, Duration.ofDays(1), false);

    /** The first request waits for its end. Each other one is answered at once. */
    private static final class OneCaller implements Sessions {

        private final AtomicBoolean occupied = new AtomicBoolean();
        private final CountDownLatch end = new CountDownLatch(1);

        @Override
        public <T> T run(String what, Work<T> work) {
            if (occupied.compareAndSet(false, true)) {
                try {
                    end.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
            throw rowLocked(what + " ran");
        }

        @Override
        public <T> Optional<T> write(String what, Connection connection, Write<T> statement) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Connection open(String what) {
            throw rowLocked(what);
        }

        @Override
        public int callers() {
            return 1;
        }

        @Override
        public void onItsOwnThread(Runnable task, Duration limit) {
            task.run();
        }

        @Override
        public StoreException rowLocked(String what) {
            return new StoreException(Effect.NOT_APPLIED, what);
        }

        @Override
        public String address() {
            return "a test";
        }

        @Override
        public void close() {}
    }

    private Map<String, Supplier<CompletionStage<?>>> operations() {
        return Map.ofEntries(
                Map.entry("acquire", () -> store.acquire(request())),
                Map.entry("release", () -> store.release(Release.of(NAME, tenure))),
                Map.entry("force", () -> store.forceRelease(NAME)),
                Map.entry("inspect", () -> store.inspect(NAME)),
                Map.entry("list", () -> store.list("")),
                Map.entry(
                        "change",
                        () -> store.counters()
                                .change(new Change(
                                        Change.Kind.COUNT_DOWN, NAME, tenure, 1, Optional.empty(), Long.MAX_VALUE))),
                Map.entry("permits", () -> store.counters().permits(NAME)),
                Map.entry("semaphores", () -> store.counters().semaphores("")),
                Map.entry("latches", () -> store.counters().latches("")),
                Map.entry("revoke", () -> store.counters().revoke(NAME, tenure)),
                Map.entry("latch", () -> store.counters().latch(NAME, false)));
    }

    private Acquire request() {
        return Acquire.of(NAME, tenure, LEASE);
    }

    private CompletableFuture<StoreException> occupy() {
        CompletableFuture<StoreException> occupant =
                CompletableFuture.supplyAsync(() -> failure(store.acquire(request())));
        Await.until("a caller waits in the database", sessions.occupied::get);
        return occupant;
    }

    private static StoreException failure(CompletionStage<?> request) {
        return catchThrowableOfType(StoreException.class, () -> Await.reply(request));
    }

    @AfterEach
    void end() {
        sessions.end.countDown();
        store.close();
    }

    @TestFactory
    Stream<DynamicTest> leavesAConnectionForRenewals() {
        var unused = occupy();
        return operations().entrySet().stream()
                .map(each -> DynamicTest.dynamicTest(each.getKey(), () -> {
                    StoreException failure = failure(each.getValue().get());
                    assertThat(failure)
                            .hasMessageStartingWith("H2 at a test: ")
                            .hasMessageEndingWith(": all its connections wait, except those for renewals");
                    assertThat(failure.effect()).isEqualTo(Effect.NOT_APPLIED);
                }));
    }

    @Test
    void renewsBesideCallersThatWait() {
        var unused = occupy();
        List<Renew> renewals = List.of(new Renew(NAME, tenure, Share.Mode.PERMITS, LEASE, 0));
        assertThat(failure(store.renew(renewals))).hasMessageEndingWith(" ran");
    }

    @Test
    void admitsACallerWhenAnotherEnds() {
        CompletableFuture<StoreException> occupant = occupy();
        sessions.end.countDown();
        assertThat(Await.reply(occupant)).hasMessageEndingWith(" ran");
        assertThat(failure(store.inspect(NAME))).hasMessageEndingWith(" ran");
    }

    @Test
    void endsTheWaitOfACallerThatIsInterrupted() {
        var unused = occupy();
        Thread.currentThread().interrupt();
        CompletionStage<?> read = store.inspect(NAME);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(failure(read)).hasMessage("H2 at a test: read 'lock': interrupted");
    }
}
