package io.holdfast.support.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.LockReport;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Acquire.Queueing;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.spi.TenureId;
import io.holdfast.support.record.Decider;
import io.holdfast.support.record.Decision;
import io.holdfast.support.record.Limits;
import io.holdfast.support.record.LockRecord;
import io.holdfast.support.record.Moment;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests for a record that other clients always write faster. */
class ContentionTest {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final TenureId HOLDER = new TenureId("holder", 1);
    private static final TenureId WAITER = new TenureId("waiter", 1);
    private static final TenureId BEHIND = new TenureId("waiter", 2);

    private final Decider decider = new Decider(Limits.STANDARD);
    private final StoreConfig config = StoreConfig.of("test:", LockReport.Client.unknown("waiter"), platform());
    private LockRecord record = LockRecord.EMPTY;
    private Duration roundTrip = Duration.ofMillis(1);
    private int races;
    private long nanos;
    private int pauses;
    private long random = 42;

    /** A platform whose time passes in requests and pauses only. */
    private Platform platform() {
        return (Platform) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Platform.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "nanoTime" -> nanos;
                    case "randomLong" -> random;
                    case "park" -> {
                        pauses += (long) arguments[1] > 0 ? 1 : 0;
                        nanos += (long) arguments[1];
                        yield null;
                    }
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    private Acquire request(TenureId tenure) {
        return Acquire.of("n", tenure, LEASE);
    }

    private Acquire waiting() {
        return request(WAITER).queued(Queueing.FAIR, 0).withBehind(List.of(new Acquire.Place(BEHIND, 0, LEASE)));
    }

    private static Moment now() {
        return Moment.of(1_000_000, 1);
    }

    /** Applies a request, without a race. */
    private void apply(Acquire request) {
        record = decider.acquire(record, request, now()).record();
    }

    /** Sends a request that loses each race. */
    private <R> R request(RecordUpdate<R> update) {
        races = 0;
        return Contention.retry(config, this, update, "update 'n'", crowded -> {
            nanos += roundTrip.toNanos();
            Decision<R> decision = update.decide(record, now());
            Optional<R> answer = crowded ? update.unwritten(record, decision.reply()) : Optional.empty();
            races += answer.isEmpty() ? 1 : 0;
            return answer;
        });
    }

    private static void assertFailsContended(Runnable request) {
        assertThatThrownBy(request::run)
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.effect()).isEqualTo(Effect.CONTENDED))
                .hasMessageContaining("update 'n': other clients wrote faster");
    }

    @Test
    void answersAWaiterWithoutAPosition() {
        apply(request(HOLDER));
        Acquire.Reply reply = request(new AcquireUpdate(decider, waiting()));
        assertThat(reply).isInstanceOfSatisfying(Acquire.Refused.class, refused -> {
            assertThat(refused.holder()).contains(HOLDER.toString());
            assertThat(refused.arrival()).isZero();
            assertThat(refused.behind()).containsExactly(0L);
        });
        assertThat(races).isEqualTo(8);
    }

    /** Each attempt has waited for its turn to write. The refusal needs none. */
    @Test
    void answersAWaiterThoughItsAttemptsHaveTakenAlmostItsTime() {
        apply(request(HOLDER));
        AcquireUpdate update = new AcquireUpdate(decider, waiting());
        races = 0;
        Acquire.Reply reply = Contention.retry(config, this, update, "update 'n'", crowded -> {
            nanos += crowded ? 0 : Contention.limitNanos(config) * (races == 0 ? 3 : 6) / 10;
            races++;
            return crowded
                    ? update.unwritten(record, update.decide(record, now()).reply())
                    : Optional.empty();
        });
        assertThat(reply).isInstanceOf(Acquire.Refused.class);
        assertThat(races).isEqualTo(3);
    }

    /** Its change has to be written. */
    @Test
    void failsAChangeThatHasNoTimeLeftToWaitForItsTurn() {
        RecordUpdate<String> change =
                RecordUpdate.until(LockRecord.NEVER, (before, moment) -> new Decision<>(before, "changed", List.of()));
        races = 0;
        assertFailsContended(() -> Contention.retry(config, this, change, "update 'n'", crowded -> {
            nanos += Contention.limitNanos(config) * (races == 0 ? 3 : 6) / 10;
            races++;
            return Optional.<String>empty();
        }));
        assertThat(races).isEqualTo(2);
    }

    /** The last pause would take its time. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void answersAWaiterThatHasLittleTime(long seed) {
        Random randoms = new Random(seed);
        StoreConfig brief = config.withTimeouts(Duration.ofMillis(200), config.connectTimeout());
        apply(request(HOLDER));
        AcquireUpdate update = new AcquireUpdate(decider, waiting());
        for (int i = 0; i < 100; i++) {
            assertThat(Contention.retry(brief, this, update, "update 'n'", crowded -> {
                        random = randoms.nextLong();
                        nanos += TimeUnit.MILLISECONDS.toNanos(2 + randoms.nextInt(3));
                        return crowded
                                ? update.unwritten(
                                        record, update.decide(record, now()).reply())
                                : Optional.empty();
                    }))
                    .isInstanceOf(Acquire.Refused.class);
        }
    }

    @Test
    void answersAWaiterWithThePositionsThatItHas() {
        apply(request(HOLDER));
        apply(waiting());
        long first = record.queue().of(WAITER).orElseThrow().arrival();
        long second = record.queue().of(BEHIND).orElseThrow().arrival();
        Acquire.Reply reply = request(new AcquireUpdate(decider, waiting()));
        assertThat(reply).isInstanceOfSatisfying(Acquire.Refused.class, refused -> {
            assertThat(refused.arrival()).isEqualTo(first);
            assertThat(refused.behind()).containsExactly(second);
        });
    }

    @Test
    void answersAWaiterWhileItsCallerWaitsForASlowStore() {
        apply(request(HOLDER));
        roundTrip = Duration.ofMillis(300);
        assertThat(request(new AcquireUpdate(decider, waiting()))).isInstanceOf(Acquire.Refused.class);
        assertThat(races).isLessThan(8);
    }

    @Test
    void failsAGrantThatIsNotWritten() {
        assertFailsContended(() -> request(new AcquireUpdate(decider, waiting())));
        assertThat(pauses)
                .as("not before the first attempt that may be answered")
                .isEqualTo(races - 2);
    }

    @Test
    void failsARenewalAndAReleaseThatAreNotWritten() {
        apply(request(HOLDER));
        RecordUpdate<Renew.Reply> renewal =
                (before, moment) -> decider.renew(before, new Renew("n", HOLDER, LEASE, 0), moment);
        assertFailsContended(() -> request(renewal));
        assertThat(pauses).as("after every second race").isEqualTo((races - 1) / 2);
        assertFailsContended(() -> request(new ReleaseUpdate(decider, Release.of("n", HOLDER))));
    }

    @Test
    void failsBeforeItsCallerGivesUpIfEachAttemptWaitsForItsTurn() {
        roundTrip = config.commandTimeout().dividedBy(3);
        assertFailsContended(() -> request(new AcquireUpdate(decider, request(WAITER))));
        assertThat(nanos).isLessThan(config.commandTimeout().toNanos());
    }

    @Test
    void pausesForLessTimeBeforeARequestOfAHolder() {
        random = -1;
        assertThat(Contention.pauseNanos(config.platform(), 1, false)).isZero();
        for (int lost = 1; lost < 100; lost++) {
            assertThat(Contention.pauseNanos(config.platform(), lost, false))
                    .isLessThan(Contention.pauseNanos(config.platform(), lost, true));
        }
        assertThat(Contention.pauseNanos(config.platform(), 100, false)).isLessThan(64_000_000);
    }

    /** The record is locked while a write takes 10 ms, and others soon begin to write it again. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void writesARenewalBetweenTheWritesOfACrowd(long seed) {
        Random randoms = new Random(seed);
        long write = Duration.ofMillis(10).toNanos();
        RecordUpdate<String> renewal = (before, moment) -> new Decision<>(before, "renewed", List.of());
        nanos = randoms.nextLong(write);
        assertThat(Contention.retry(config, this, renewal, "renew 'n'", crowded -> {
                    random = randoms.nextLong();
                    long sinceAWrite = nanos % write;
                    boolean first = sinceAWrite < TimeUnit.MICROSECONDS.toNanos(20) && randoms.nextInt(4) == 0;
                    nanos += write - sinceAWrite;
                    return first ? Optional.of("renewed") : Optional.empty();
                }))
                .isEqualTo("renewed");
    }

    @ParameterizedTest
    @CsvSource({"0, 8", "1, 4", "3, 2", "7, 1", "100, 1"})
    void isCrowdedSoonerIfOthersAreBehind(int behind, int lost) {
        RecordUpdate<String> update = (before, moment) -> new Decision<>(before, "reply", List.of());
        assertThat(Contention.retry(config, this, update, "update 'n'", behind, crowded -> {
                    races += crowded ? 0 : 1;
                    return crowded ? Optional.of("reply") : Optional.<String>empty();
                }))
                .isEqualTo("reply");
        assertThat(races).isEqualTo(lost);
    }

    @Test
    void isCrowdedAfterOneRaceIfItClaimsAnAssignedName() {
        apply(request(HOLDER));
        assertThat(racesUntilCrowded(HOLDER)).isEqualTo(8);
        apply(waiting());
        record = decider.release(record, Release.of("n", HOLDER), now()).record();
        assertThat(racesUntilCrowded(WAITER)).isEqualTo(1);
    }

    private int racesUntilCrowded(TenureId renewed) {
        races = 0;
        RenewUpdate renewal = new RenewUpdate(decider, List.of(new Renew("n", renewed, LEASE, 0)));
        List<Renew.Reply> replies = Contention.retry(config, this, renewal, "renew 'n'", crowded -> {
            races += crowded ? 0 : 1;
            List<Renew.Reply> decided = renewal.decide(record, now()).reply();
            return crowded ? Optional.of(decided) : Optional.empty();
        });
        assertThat(replies).hasOnlyElementsOfType(Renew.Renewed.class);
        return races;
    }

    @Test
    void repeatsARequestUntilItIsWritten() {
        RecordUpdate<String> update = (before, moment) -> new Decision<>(before, "reply", List.of());
        assertThat(Contention.retry(
                        config,
                        this,
                        update,
                        "update 'n'",
                        crowded -> races++ < 5 ? Optional.<String>empty() : Optional.of("reply")))
                .isEqualTo("reply");
    }
}
