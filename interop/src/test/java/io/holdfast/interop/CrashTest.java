package io.holdfast.interop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A process that is killed leaves the lock to the other kind, within its lease. */
@Tag("ci")
class CrashTest extends SideBySide {

    private static final Duration LEASE_OF_THE_DEAD = Duration.ofSeconds(6);

    @ParameterizedTest
    @EnumSource
    void whoIsKilledIsFollowed(Kind kind) throws IOException {
        String name = name();
        Process child = Children.start(CrashTest.class, kind, server.uri(), name);
        try (BufferedReader told = child.inputReader()) {
            assertThat(told.readLine()).isEqualTo("locked");
            Waiter waiter = new Waiter(lock(kind.other(), name)).asleep();
            assertThat(isFree(lock(kind.other(), name))).isFalse();
            long killed = System.nanoTime();
            child.destroyForcibly();
            assertThat(Duration.ofNanos(waiter.gotAt() - killed)).isLessThan(LEASE_OF_THE_DEAD.multipliedBy(2));
            waiter.release();
        } finally {
            child.destroyForcibly();
        }
        redis.keys("hf:client:*").forEach(redis::del);
    }

    /** Locks, and renews until it is killed, or until its input ends. */
    public static void main(String[] args) throws IOException {
        Kind.Client client = Kind.valueOf(args[0]).connect(args[1], LEASE_OF_THE_DEAD);
        client.lock(args[2]).lock();
        System.out.println("locked");
        int end = System.in.read();
        System.exit(end);
    }
}
