package io.holdfast.examples.web.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.holdfast.examples.web.Paths;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class ReverseProxyTest {

    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Duration SHORT = Duration.ofMillis(300);

    /** Waits long for everything. */
    private static final ReverseProxy.Limits PATIENT = new ReverseProxy.Limits(LONG, LONG, LONG, LONG);

    /** Probes often, and waits long for an answer to a request. */
    private static final ReverseProxy.Limits PROBING =
            new ReverseProxy.Limits(LONG, LONG, Duration.ofSeconds(2), Duration.ofMillis(50));

    /** Probes rarely, and waits a short time for an answer. */
    private static final ReverseProxy.Limits ANSWERING = new ReverseProxy.Limits(LONG, SHORT, LONG, LONG);

    private final List<AutoCloseable> open = new ArrayList<>();

    /** An instance that answers, or does not. */
    private final class FakeInstance {

        private final HttpServer server;
        private final ExecutorService workers = Executors.newCachedThreadPool();
        private final AtomicInteger requests = new AtomicInteger();
        private final CountDownLatch end = new CountDownLatch(1);
        private volatile boolean silent;
        private volatile boolean answersOnlyProbes;

        FakeInstance() throws IOException {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.setExecutor(workers);
            server.createContext("/", exchange -> {
                boolean probe = exchange.getRequestURI().getPath().equals(Paths.PING);
                if (!probe) {
                    requests.incrementAndGet();
                }
                if (silent || (answersOnlyProbes && !probe)) {
                    awaitEnd();
                }
                exchange.sendResponseHeaders(200, -1);
                exchange.close();
            });
            server.start();
            open.add(() -> {
                end.countDown();
                server.stop(0);
                workers.shutdownNow();
            });
        }

        private void awaitEnd() {
            try {
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        URI address() {
            return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
        }
    }

    private ReverseProxy proxy(ReverseProxy.Limits limits, URI... instances) throws IOException {
        ReverseProxy proxy = ReverseProxy.start(List.of(instances), limits);
        open.add(proxy);
        return proxy;
    }

    private static int buy(ReverseProxy proxy) throws Exception {
        return buying(proxy).get(20, TimeUnit.SECONDS);
    }

    private static CompletableFuture<Integer> buying(ReverseProxy proxy) {
        HttpRequest request = HttpRequest.newBuilder(proxy.address().resolve(Paths.DEDUCT_STOCK))
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        return HttpClient.newHttpClient()
                .sendAsync(request, HttpResponse.BodyHandlers.discarding())
                .thenApply(HttpResponse::statusCode);
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - end).as("time left").isNegative();
            Thread.sleep(5);
        }
    }

    /** Returns an address that refuses connections. */
    private static URI nobody() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return URI.create("http://127.0.0.1:" + socket.getLocalPort());
        }
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    @Test
    void requestsGoToTheInstancesInTurn() throws Exception {
        FakeInstance one = new FakeInstance();
        FakeInstance two = new FakeInstance();
        ReverseProxy proxy = proxy(PATIENT, one.address(), two.address());

        for (int i = 0; i < 10; i++) {
            assertThat(buy(proxy)).isEqualTo(200);
        }

        assertThat(one.requests).hasValue(5);
        assertThat(two.requests).hasValue(5);
    }

    @Test
    void aRequestThatIsRefusedGoesToTheOtherInstance() throws Exception {
        FakeInstance one = new FakeInstance();
        ReverseProxy proxy = proxy(PATIENT, nobody(), one.address());

        for (int i = 0; i < 4; i++) {
            assertThat(buy(proxy)).isEqualTo(200);
        }

        assertThat(one.requests).hasValue(4);
        assertThat(proxy.up()).isEqualTo(1);
    }

    @Test
    void anInstanceThatDoesNotAnswerProbesIsLeftOutUntilItDoes() throws Exception {
        FakeInstance one = new FakeInstance();
        FakeInstance two = new FakeInstance();
        ReverseProxy proxy = proxy(PROBING, one.address(), two.address());
        two.silent = true;
        await(() -> proxy.up() == 1);

        for (int i = 0; i < 6; i++) {
            assertThat(buy(proxy)).isEqualTo(200);
        }
        assertThat(two.requests).hasValue(0);

        two.silent = false;
        await(() -> proxy.up() == 2);
        assertThat(buy(proxy)).isEqualTo(200);
        assertThat(buy(proxy)).isEqualTo(200);
        assertThat(two.requests).hasValue(1);
    }

    @Test
    void requestsToAnInstanceThatStopsAnsweringEndWithItAndAreNotRepeated() throws Exception {
        FakeInstance one = new FakeInstance();
        FakeInstance two = new FakeInstance();
        one.answersOnlyProbes = true;
        ReverseProxy proxy = proxy(PROBING, one.address(), two.address());
        CompletableFuture<Integer> pending = buying(proxy);
        await(() -> one.requests.get() == 1);

        one.silent = true;

        assertThat(pending.get(20, TimeUnit.SECONDS)).isEqualTo(502);
        assertThat(two.requests).hasValue(0);
    }

    @Test
    void aRequestThatIsNotAnsweredEndsInTimeAndIsNotRepeated() throws Exception {
        FakeInstance one = new FakeInstance();
        FakeInstance two = new FakeInstance();
        one.answersOnlyProbes = true;
        ReverseProxy proxy = proxy(ANSWERING, one.address(), two.address());

        assertThat(buy(proxy)).isEqualTo(504);
        assertThat(two.requests).hasValue(0);
    }

    @Test
    void withoutAnInstanceARequestEndsAtOnce() throws Exception {
        ReverseProxy proxy = proxy(PATIENT, nobody(), nobody());

        assertThat(buy(proxy)).isEqualTo(503);
    }
}
