package io.holdfast.examples.web.demo;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A reverse proxy that balances requests round robin over the instances that answer probes.
 *
 * <p>A request is sent to another instance only if the first one refused the connection, because otherwise it may have sold an
 * item already. {@code haproxy.cfg} configures HAProxy in the same way.
 */
final class ReverseProxy implements AutoCloseable {

    private static final int LONGEST_QUEUE = 1_024;

    /**
     * The times after which the proxy stops waiting.
     *
     * @param connect the maximum time of a connection attempt
     * @param answer the maximum time until an instance answers a request
     * @param probe the maximum time until an instance answers a probe
     * @param interval the time between two probes of an instance
     */
    record Limits(Duration connect, Duration answer, Duration probe, Duration interval) {

        static final Limits USUAL = new Limits(
                Duration.ofMillis(500), Duration.ofSeconds(6), Duration.ofMillis(500), Duration.ofMillis(200));
    }

    private final Limits limits;
    private final List<Backend> backends;
    private final HttpServer server;
    private final ExecutorService workers = Executors.newCachedThreadPool(ReverseProxy::daemon);
    private final ScheduledExecutorService probes;
    private final AtomicInteger turn = new AtomicInteger();

    private ReverseProxy(List<URI> instances, Limits limits) throws IOException {
        this.limits = limits;
        HttpClient client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(limits.connect())
                .build();
        this.backends = instances.stream()
                .map(instance -> new Backend(instance, client))
                .toList();
        this.probes = Executors.newScheduledThreadPool(backends.size(), ReverseProxy::daemon);
        InetSocketAddress freePort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        this.server = HttpServer.create(freePort, LONGEST_QUEUE);
    }

    /** Starts a proxy on a free port of the loopback interface. Each instance counts as up until a probe fails. */
    static ReverseProxy start(List<URI> instances, Limits limits) throws IOException {
        ReverseProxy proxy = new ReverseProxy(instances, limits);
        proxy.server.setExecutor(proxy.workers);
        proxy.server.createContext("/", proxy::serve);
        proxy.server.start();
        proxy.backends.forEach(proxy::watch);
        return proxy;
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "proxy");
        thread.setDaemon(true);
        return thread;
    }

    private void watch(Backend backend) {
        long interval = limits.interval().toMillis();
        var unused = probes.scheduleWithFixedDelay(() -> probe(backend), interval, interval, TimeUnit.MILLISECONDS);
    }

    private void probe(Backend backend) {
        try {
            backend.probe(limits.probe());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the proxy is being closed
        }
    }

    /** Returns the address of the proxy. */
    URI address() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    /** Returns the number of instances that answer. */
    long up() {
        return backends.stream().filter(Backend::isUp).count();
    }

    private void serve(HttpExchange exchange) throws IOException {
        try (exchange) {
            exchange.getRequestBody().readAllBytes();
            Answer answer =
                    answer(exchange.getRequestMethod(), exchange.getRequestURI().getRawPath());
            exchange.sendResponseHeaders(answer.status(), answer.body().length);
            exchange.getResponseBody().write(answer.body());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the proxy is being closed
        }
    }

    private Answer answer(String method, String path) throws InterruptedException {
        int first = Math.floorMod(turn.getAndIncrement(), backends.size());
        for (int i = 0; i < backends.size(); i++) {
            Backend backend = backends.get((first + i) % backends.size());
            if (backend.isUp()) {
                try {
                    return backend.send(method, path, limits.answer()).get();
                } catch (ExecutionException e) {
                    if (!wasRefused(e)) {
                        return failure(e);
                    }
                    backend.refused();
                }
            }
        }
        return Answer.UNAVAILABLE;
    }

    private static boolean wasRefused(ExecutionException failure) {
        Throwable cause = failure.getCause();
        return cause instanceof ConnectException || cause instanceof HttpConnectTimeoutException;
    }

    private static Answer failure(ExecutionException failure) {
        return failure.getCause() instanceof HttpTimeoutException ? Answer.GATEWAY_TIMEOUT : Answer.BAD_GATEWAY;
    }

    @Override
    public void close() {
        server.stop(0);
        probes.shutdownNow();
        workers.shutdownNow();
    }
}
