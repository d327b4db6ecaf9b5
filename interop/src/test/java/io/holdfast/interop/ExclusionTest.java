package io.holdfast.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Who has a lock keeps the other kind off, whatever the name, until it gives it back or its lease ends. */
class ExclusionTest extends SideBySide {

    private static final List<String> NAMES = List.of("plain", "a{b", "{x}y", "a}b", "{}x", "a:{b}:c", "ü ß");

    private static final Duration BRIEF = Duration.ofSeconds(2);

    private final Kind.Client holder = Kind.HOLDFAST.connect(server.uri(), LEASE);

    @AfterAll
    void closeHolder() {
        holder.close();
    }

    static Stream<Arguments> kindsAndNames() {
        return Stream.of(Kind.values()).flatMap(kind -> NAMES.stream().map(name -> Arguments.of(kind, name)));
    }

    @ParameterizedTest
    @MethodSource("kindsAndNames")
    void whoHasItKeepsTheOtherOff(Kind kind, String name) {
        Lock mine = lock(kind, name);
        Lock theirs = lock(kind.other(), name);
        mine.lock();
        try {
            assertThat(redis.hlen(name)).isEqualTo(1);
            assertThat(isFree(theirs)).isFalse();
        } finally {
            mine.unlock();
        }
        assertThat(isFree(theirs)).isTrue();
    }

    @ParameterizedTest
    @FieldSource("NAMES")
    void bothListenOnOneChannel(String name) {
        Lock third = holder.lock(name);
        third.lock();
        List<Waiter> waiters = Stream.of(Kind.values())
                .map(kind -> new Waiter(lock(kind, name)))
                .toList();
        Await.until("both listen", () -> channels(name).stream().anyMatch(channel -> listeners(channel) == 2));
        assertThat(channels(name)).hasSize(1);
        third.unlock();
        waiters.stream().map(waiter -> start(waiter::release)).toList().forEach(Await::reply);
    }

    @ParameterizedTest
    @EnumSource
    void itIsEnteredAgainWhileTheOtherWaits(Kind kind) {
        String name = name();
        Lock mine = lock(kind, name);
        mine.lock();
        Waiter waiter = new Waiter(lock(kind.other(), name)).asleep();
        mine.lock();
        mine.lock();
        mine.unlock();
        mine.unlock();
        assertThat(isFree(lock(kind.other(), name))).isFalse();
        assertThat(waiter.hasIt()).isFalse();
        mine.unlock();
        waiter.release();
    }

    @ParameterizedTest
    @EnumSource
    void whenALeaseEndsTheOtherGetsIt(Kind kind) {
        String name = name();
        Lock mine = lock(kind, name);
        long before = System.nanoTime();
        Kind.lock(mine, BRIEF);
        Waiter waiter = new Waiter(lock(kind.other(), name));
        assertThat(Duration.ofNanos(waiter.gotAt() - before)).isBetween(BRIEF, SOON);
        assertThatThrownBy(mine::unlock).isInstanceOf(IllegalMonitorStateException.class);
        assertThat(waiter.hasIt()).isTrue();
        assertThat(isFree(mine)).isFalse();
        waiter.release();
    }

    static Stream<Arguments> holdersAndForcers() {
        return Stream.of(Kind.values())
                .flatMap(holder -> Stream.of(Kind.values()).map(forcer -> Arguments.of(holder, forcer)));
    }

    @ParameterizedTest
    @MethodSource("holdersAndForcers")
    void eitherForcesIt(Kind holder, Kind forcer) {
        String name = name();
        Lock mine = lock(holder, name);
        mine.lock();
        Waiter waiter = new Waiter(told(holder.other()).lock(name)).asleep();
        long before = System.nanoTime();
        elsewhere(() -> {
            Kind.forceUnlock(lock(forcer, name));
            return true;
        });
        assertThat(Duration.ofNanos(waiter.gotAt() - before)).isLessThan(SOON);
        assertThatThrownBy(mine::unlock).isInstanceOf(IllegalMonitorStateException.class);
        assertThat(isFree(mine)).isFalse();
        waiter.release();
    }

    @Test
    void whoGoesAwayWithoutALookBackIsFollowedAtTheEndOfItsLease() {
        String name = name();
        Kind.Client leaver = Kind.REDISSON.connect(server.uri(), Duration.ofSeconds(3));
        leaver.lock(name).lock();
        Waiter waiter = new Waiter(lock(Kind.HOLDFAST, name)).asleep();
        leaver.close();
        waiter.release();
    }
}
