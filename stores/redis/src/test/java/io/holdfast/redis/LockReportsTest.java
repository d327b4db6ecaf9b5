package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.LockReport;
import io.holdfast.redis.script.KeyLayout;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreConfig.HoldDescription;
import io.holdfast.spi.StoreException;
import io.holdfast.testkit.Await;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LockReportsTest {

    private static final Instant SINCE = Instant.parse("2026-01-02T03:04:05.678901Z");

    private final Servers servers = Servers.shared();
    private final TestClient first = TestClient.open(servers.uri());
    private final TestClient second = TestClient.open(servers.uri());
    private final String name = Servers.name();

    @AfterEach
    void close() {
        first.close();
        second.close();
    }

    private LockReport inspect(TestClient by) {
        return Await.reply(by.store().inspect(name));
    }

    @Test
    void aFreeLock() {
        OptionalLong last = inspect(first).lastToken();
        assertThat(inspect(first)).isEqualTo(new LockReport(name, List.of(), List.of(), last));
        Acquire.Granted granted = first.granted(name, 1);
        first.release(name, 1);
        assertThat(inspect(first).lastToken()).hasValue(granted.tokens().last());
    }

    @Test
    void theHolderTellsWhatOnlyItKnows() {
        first.granted(name, 3);
        first.describeBy(lock -> Optional.of(
                new HoldDescription(first.tenure(3), "thread of " + lock, SINCE, 77, Optional.of("now at home"))));
        for (TestClient asker : new TestClient[] {first, second}) {
            LockReport.Holder holder = HolderAnswers.holder(() -> inspect(asker).holder());
            assertThat(holder.client()).isEqualTo(first.config().client());
            assertThat(holder.owner()).contains("thread of " + name);
            assertThat(holder.since()).contains(SINCE);
            assertThat(holder.place()).contains("now at home");
            assertThat(holder.fencingToken()).hasValue(77);
            assertThat(holder.remainingLease()).isBetween(Duration.ofSeconds(25), Duration.ofSeconds(30));
        }
    }

    @Test
    void anAnswerAboutAnotherTenureIsNoAnswer() {
        first.granted(name, 3);
        first.describeBy(lock -> Optional.of(new HoldDescription(first.tenure(2), "main", SINCE, 77)));
        assertThat(inspect(second).holder().orElseThrow().owner()).isEmpty();
    }

    @Test
    void aHolderThatDoesNotAnswerIsUnknownBeyondItsRecord() {
        first.granted(name, 3);
        LockReport.Holder holder = inspect(second).holder().orElseThrow();
        assertThat(holder.client().pid()).hasValue(42);
        assertThat(holder.owner()).isEmpty();
        assertThat(holder.since()).isEmpty();
        assertThat(holder.fencingToken()).isEmpty();
    }

    @Test
    void aHolderWithoutARecordIsShownByItsField() {
        servers.redis.hset(name, "6a7b:17", "1");
        servers.redis.pexpire(name, 9_000);
        LockReport.Holder holder = inspect(second).holder().orElseThrow();
        assertThat(holder.client()).isEqualTo(LockReport.Client.unknown("6a7b:17"));
        assertThat(holder.remainingLease()).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(9));
    }

    @Test
    void waitersInTheirOrder() {
        first.granted(name, 1);
        Acquire.Refused refused = second.queued(name, 4);
        servers.redis.zadd(Servers.queueKey(name), refused.arrival() + 1_000_000.0, "gone:9");
        LockReport report = inspect(first);
        Instant since = Instant.EPOCH.plusNanos(refused.arrival() * 1_000);
        assertThat(report.waiters())
                .containsExactly(
                        new LockReport.Waiter(second.config().client(), since),
                        new LockReport.Waiter(LockReport.Client.unknown("gone:9"), since.plusSeconds(1)));
    }

    @Test
    void theListHasWhatIsHeldOrAwaited() {
        String start = "a*[b]?\\^-" + name;
        first.granted(start + "1", 1);
        second.queued(start + "1", 1);
        first.granted(start + "{}2", 2);
        servers.redis.zadd("hf:{" + start + "3}:q:" + start + "3", 5, "gone:1");
        servers.redis.hset(start + "hash", "no", "lock");
        servers.redis.set(start + "text", "no lock");
        first.granted("aXb" + name, 3);
        assertThat(Await.reply(second.store().list(start)))
                .extracting(LockReport::name)
                .containsExactlyInAnyOrder(start + "1", start + "{}2", start + "3");
        assertThat(Await.reply(second.store().list("aXb" + name))).hasSize(1);
        assertThat(Await.reply(second.store().list(name))).isEmpty();
    }

    @Test
    void semaphoresAndLatchesAreListedAndWhatLooksAlikeIsNot() {
        String start = "a*[b]?\\^-" + name;
        try (Holdfast holdfast = Holdfast.connect(servers.uri())) {
            for (int i = 0; i < 100; i++) {
                holdfast.semaphore(start + i).trySetPermits(i + 1);
                holdfast.countDownLatch(start + "}" + i).trySetCount(i + 1);
            }
            servers.redis.set("hf:{x}:pl:" + start + "elsewhere", "5");
            servers.redis.set("hf:{x}:tf:y}:l:" + start, "5");
            servers.redis.set(key("l", start + "broken"), "no latch");
            assertThat(holdfast.listSemaphores(start))
                    .hasSize(100)
                    .allSatisfy(report -> assertThat(report.name()).isEqualTo(start + (report.permits() - 1)));
            assertThat(holdfast.listLatches(start))
                    .hasSize(100)
                    .allSatisfy(latch -> assertThat(latch.name()).isEqualTo(start + "}" + (latch.count() - 1)));
            assertThat(holdfast.listLatches("aXb")).isEmpty();
            assertThat(holdfast.list(start)).isEmpty();
        }
    }

    private static String key(String kind, String name) {
        return new KeyLayout("", "").countedKeys(name, kind)[0];
    }

    @Test
    void theListKnowsThePrefix() {
        try (TestClient prefixed = TestClient.open(servers.uri(), TestClient.prefixed("p:"))) {
            prefixed.granted(name, 1);
            first.granted(name, 1);
            prefixed.queued(name, 2);
            assertThat(Await.reply(prefixed.store().list(name))).singleElement().satisfies(report -> {
                assertThat(report.name()).isEqualTo(name);
                assertThat(report.holder().orElseThrow().client().id()).isEqualTo(prefixed.id());
                assertThat(report.waiters()).hasSize(1);
            });
        }
    }

    @Test
    void force() {
        first.granted(name, 3);
        second.queued(name, 1);
        LockReport.Holder holder =
                Await.reply(second.store().forceRelease(name)).orElseThrow();
        assertThat(holder.client()).isEqualTo(first.config().client());
        assertThat(first.next(Signal.Revoked.class)).isEqualTo(new Signal.Revoked(name, first.tenure(3)));
        assertThat(second.next(Signal.Freed.class)).isEqualTo(new Signal.Freed(name));
        assertThat(servers.keysOf(name)).isEmpty();
        assertThat(first.release(name, 3).held()).isFalse();
    }

    @Test
    void forceTellsWhatTheHolderAnswers() {
        first.describeBy(lock -> Optional.of(new HoldDescription(first.tenure(3), "main", SINCE, 77)));
        LockReport.Holder holder = HolderAnswers.holder(() -> {
            first.granted(name, 3);
            return Await.reply(second.store().forceRelease(name));
        });
        assertThat(holder.owner()).contains("main");
        assertThat(holder.fencingToken()).hasValue(77);
    }

    @Test
    void forceOfAFreeLockAndOfAStrangersLock() {
        assertThat(Await.reply(first.store().forceRelease(name))).isEmpty();
        servers.holdAsOther(name, Map.of("mode", "write", "6a7b:17:write", "1"));
        assertThat(Await.reply(first.store().forceRelease(name)).orElseThrow().client())
                .isEqualTo(LockReport.Client.unknown("6a7b:17:write"));
        assertThat(servers.redis.exists(name)).isZero();
    }

    @Test
    void messagesOfOthersAreSurvived() {
        for (String message : new String[] {"", "F", "A x", "A 1 2 3", "S 1", "Q a", "Z z", "E x", "R"}) {
            servers.redis.publish("hf:in:" + first.id(), message);
        }
        assertThat(first.arrived()).isEmpty();
    }

    /** The driver takes replies of three and four elements that begin with such a text for messages. */
    @ParameterizedTest
    @ValueSource(strings = {"message", "pmessage", "smessage", "subscribe"})
    void aHashOfAnotherProgramDoesNotMixUpReplies(String field) {
        String other = Servers.name();
        servers.redis.hset(name, field, "5");
        assertThatThrownBy(() -> inspect(first)).hasMessageContaining("is not a key of Holdfast");
        assertThatThrownBy(() -> first.acquire(name, 1)).hasMessageContaining("is not a key of Holdfast");
        assertThat(Await.reply(first.store().list(name))).isEmpty();
        assertThatThrownBy(() -> Await.reply(first.store().forceRelease(name))).isInstanceOf(StoreException.class);
        servers.redis.del(name);
        first.granted(other, 2);
        assertThat(Await.reply(first.store().inspect(other)).holder()).isPresent();
        first.release(other, 2);
    }
}
