package io.holdfast.redis.connection;

import io.holdfast.spi.Platform;
import io.holdfast.support.Stages;
import io.netty.resolver.AddressResolver;
import io.netty.resolver.AddressResolverGroup;
import io.netty.resolver.InetNameResolver;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Promise;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;

/**
 * The addresses of hosts. The resolver of the JDK blocks its thread, and would stop all connections of that thread while the name
 * service hangs. So a name is looked up on a thread of its own.
 *
 * <ol>
 *   <li>One lookup of a name is under way. Who asks for the name meanwhile waits for it.
 *   <li>If a lookup takes longer than its limit, the last known addresses of the name are the answer. Without any, the caller's own
 *       limit ends the wait.
 * </ol>
 */
final class HostNames extends AddressResolverGroup<InetSocketAddress> {

    /** A name service. */
    interface Lookup {

        /** Returns the addresses of a host, at least one. May block. */
        List<InetAddress> addresses(String host) throws UnknownHostException;
    }

    /** A lookup that is under way. */
    private record Flight(CompletableFuture<List<InetAddress>> answer, long startedAt) {}

    private final Platform platform;
    private final Platform.Timer timer;
    private final Executor threads;
    private final Duration limit;
    private final Lookup lookup;
    private final Map<String, Flight> flights = new ConcurrentHashMap<>();
    private final Map<String, List<InetAddress>> known = new ConcurrentHashMap<>();

    /**
     * Creates the addresses of hosts.
     *
     * @param threads runs the lookups, each of which may block
     * @param limit the time after which the last known addresses are the answer
     */
    HostNames(Platform platform, Platform.Timer timer, Executor threads, Duration limit, Lookup lookup) {
        this.platform = platform;
        this.timer = timer;
        this.threads = threads;
        this.limit = limit;
        this.lookup = lookup;
    }

    @Override
    protected AddressResolver<InetSocketAddress> newResolver(EventExecutor executor) {
        return new InetNameResolver(executor) {
            @Override
            protected void doResolve(String host, Promise<InetAddress> answer) {
                find(host, answer, (found, promise) -> promise.trySuccess(found.get(0)));
            }

            @Override
            protected void doResolveAll(String host, Promise<List<InetAddress>> answer) {
                find(host, answer, (found, promise) -> promise.trySuccess(found));
            }
        }.asAddressResolver();
    }

    private <T> void find(String host, Promise<T> answer, BiConsumer<List<InetAddress>, Promise<T>> success) {
        find(host).whenComplete((found, error) -> {
            if (error == null) {
                success.accept(found, answer);
            } else {
                answer.tryFailure(Stages.cause(error));
            }
        });
    }

    /** Returns the addresses of a host. */
    CompletionStage<List<InetAddress>> find(String host) {
        if (NetUtil.createByteArrayFromIpAddressString(host) != null) {
            return looked(host);
        }
        Flight own = new Flight(new CompletableFuture<>(), platform.nanoTime());
        Flight other = flights.putIfAbsent(host, own);
        Flight flight = other == null ? own : other;
        if (other == null) {
            start(host, own.answer());
        }
        CompletableFuture<List<InetAddress>> answer = flight.answer().copy();
        long left = flight.startedAt() + limit.toNanos() - platform.nanoTime();
        timer.schedule(Math.max(0, left), () -> {
            List<InetAddress> last = known.get(host);
            if (last != null) {
                answer.complete(last);
            }
        });
        return answer;
    }

    private void start(String host, CompletableFuture<List<InetAddress>> answer) {
        CompletableFuture.completedStage(host)
                // an executor that is closed throws
                .thenCompose(name -> CompletableFuture.completedStage(name).thenComposeAsync(this::looked, threads))
                .whenComplete((found, error) -> {
                    flights.remove(host);
                    if (error == null) {
                        known.put(host, found);
                        answer.complete(found);
                    } else {
                        answer.completeExceptionally(Stages.cause(error));
                    }
                });
    }

    private CompletionStage<List<InetAddress>> looked(String host) {
        try {
            return CompletableFuture.completedStage(lookup.addresses(host));
        } catch (UnknownHostException e) {
            return CompletableFuture.failedStage(e);
        }
    }
}
