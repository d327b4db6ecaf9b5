package io.holdfast.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.Platform;
import io.holdfast.testkit.Await;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The addresses of hosts while a name service answers, and while it hangs. */
class HostNamesTest {

    private final Platform platform = Platform.system();
    private final Platform.Timer timer = platform.timer("names-timer");
    private final Platform.Worker threads = platform.worker("names", 2);
    private final CountDownLatch hanging = new CountDownLatch(1);
    private final AtomicInteger lookups = new AtomicInteger();
    private volatile boolean hangs;

    private final HostNames names = new HostNames(platform, timer, threads, Duration.ofMillis(50), this::addresses);

    private List<InetAddress> addresses(String host) throws UnknownHostException {
        lookups.incrementAndGet();
        if (host.equals("nowhere")) {
            throw new UnknownHostException(host);
        }
        try {
            if (hangs && !hanging.await(1, TimeUnit.MINUTES)) {
                throw new AssertionError("it hangs for too long");
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return List.of(address(host.equals("redis") ? "10.0.0.1" : host));
    }

    private static InetAddress address(String literal) throws UnknownHostException {
        return InetAddress.getByName(literal);
    }

    @AfterEach
    void close() {
        hanging.countDown();
        threads.close();
        timer.close();
    }

    private CompletableFuture<List<InetAddress>> find(String host) {
        return names.find(host).toCompletableFuture();
    }

    @Test
    void answersWithTheLastAddressWhileTheNameServiceHangs() throws Exception {
        assertThat(Await.reply(find("redis"))).containsExactly(address("10.0.0.1"));
        hangs = true;
        assertThat(Await.reply(find("redis"))).containsExactly(address("10.0.0.1"));
    }

    @Test
    void looksANameUpOnceForAllWhoAskForIt() throws Exception {
        hangs = true;
        CompletableFuture<List<InetAddress>> first = find("redis");
        CompletableFuture<List<InetAddress>> second = find("redis");
        hanging.countDown();
        assertThat(Await.reply(first)).containsExactly(address("10.0.0.1"));
        assertThat(Await.reply(second)).containsExactly(address("10.0.0.1"));
        assertThat(lookups).hasValue(1);
    }

    /** A number is no question to a name service. */
    @Test
    void answersWithANumberWhileTheNameServiceHangs() throws Exception {
        assertThat(find("10.0.0.2")).isCompletedWithValue(List.of(address("10.0.0.2")));
    }

    @Test
    void failsForAHostThatIsUnknown() {
        assertThat(find("nowhere")).failsWithin(Duration.ofMinutes(1));
    }
}
