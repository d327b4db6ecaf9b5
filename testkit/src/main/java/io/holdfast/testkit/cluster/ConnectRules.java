package io.holdfast.testkit.cluster;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastBuilder;
import io.holdfast.StoreUnavailableException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A first connection that cannot be made. */
public abstract class ConnectRules {

    private static final Duration LIMIT = Duration.ofSeconds(3);

    private final String scheme;

    /** Creates the rules for the stores of a scheme. */
    protected ConnectRules(String scheme) {
        this.scheme = scheme;
    }

    /** Nobody listens on port 1. */
    @Test
    void failsAtOnceWhereNobodyListens() {
        Duration limit = Duration.ofMinutes(2);
        HoldfastBuilder builder =
                Holdfast.builder().uri(scheme + "://127.0.0.1:1").connectTimeout(limit);
        long start = System.nanoTime();
        StoreUnavailableException thrown = assertThrows(StoreUnavailableException.class, builder::build);
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        assertTrue(
                thrown.toString().contains("nothing listens there; check host and port, and that the server runs"),
                thrown::toString);
        assertTrue(took.compareTo(limit.dividedBy(2)) < 0, () -> "after " + took);
    }

    /** The process may still be loading classes. */
    @Test
    void triesForFourTimesAsLongWhereAServerIsSilent() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 1_000, InetAddress.getLoopbackAddress())) {
            assertGivesUp("127.0.0.1:" + silent.getLocalPort(), LIMIT.multipliedBy(4));
        }
    }

    @Test
    void triesForTheConnectTimeoutWhereNobodyListensAtOneOfTwoAddresses() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 1_000, InetAddress.getLoopbackAddress())) {
            assertGivesUp("127.0.0.1:1,127.0.0.1:" + silent.getLocalPort(), LIMIT);
        }
    }

    private void assertGivesUp(String addresses, Duration after) {
        HoldfastBuilder builder =
                Holdfast.builder().uri(scheme + "://" + addresses).connectTimeout(LIMIT);
        long start = System.nanoTime();
        StoreUnavailableException thrown = assertThrows(StoreUnavailableException.class, builder::build);
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        assertTrue(thrown.toString().contains("within " + after.toMillis() + " ms"), thrown::toString);
        assertTrue(took.compareTo(after) >= 0, () -> "after " + took);
    }
}
