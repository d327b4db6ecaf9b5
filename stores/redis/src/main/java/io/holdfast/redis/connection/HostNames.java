package io.holdfast.redis.connection;

import io.holdfast.spi.Platform;
import io.holdfast.support.SingleFlight;
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

    private final Platform.Timer timer;
    private final Executor threads;
    private final Duration limit;
    private final Lookup lookup;
    private final Map<String, SingleFlight<List<InetAddress>>> flights = new ConcurrentHashMap<>();
    private final Map<String, List<InetAddress>> known = new ConcurrentHashMap<>();

    /**
     * Creates the addresses of hosts.
     *
     * @param threads runs the lookups, each of which may block
     * @param limit the time after which the last known addresses are the answer
     */
    HostNames(Platform.Timer timer, Executor threads, Duration limit, Lookup lookup) {
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
        CompletableFuture<List<InetAddress>> answer = new CompletableFuture<>();
        flights.computeIfAbsent(host, name -> new SingleFlight<>())
                .join(() -> CompletableFuture.completedStage(host).thenComposeAsync(this::looked, threads))
                .whenComplete((found, error) -> {
                    if (error == null) {
                        known.put(host, found);
                        answer.complete(found);
                    } else {
                        answer.completeExceptionally(error);
                    }
                });
        timer.schedule(limit.toNanos(), () -> {
            List<InetAddress> last = known.get(host);
            if (last != null) {
                answer.complete(last);
            }
        });
        return answer;
    }

    private CompletionStage<List<InetAddress>> looked(String host) {
        try {
            return CompletableFuture.completedStage(lookup.addresses(host));
        } catch (UnknownHostException e) {
            return CompletableFuture.failedStage(e);
        }
    }
}
