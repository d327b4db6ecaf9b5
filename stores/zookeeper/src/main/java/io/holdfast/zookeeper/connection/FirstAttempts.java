package io.holdfast.zookeeper.connection;

import io.holdfast.support.NothingListens;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.apache.zookeeper.client.HostProvider;
import org.jspecify.annotations.Nullable;

/**
 * A list of servers that finds out why the first attempts of a handle have failed.
 *
 * <p>ZooKeeper's client does not tell why, and before its first session it reports no failed attempt at all. But it asks for the
 * next server then. So the server of the failed attempt is tried once more by a plain connect. That happens on the thread of the
 * handle that would connect to the next server, which has resolved the name of the last one just before. Each server is tried once at
 * most, and none after the handle is connected.
 */
final class FirstAttempts implements HostProvider {

    private static final long MOST_MILLIS = 1_000;

    private final HostProvider hosts;
    private final int limitMillis;
    private final BiConsumer<InetSocketAddress, IOException> onUnreachable;
    private final Consumer<IOException> onAllRefused;
    private final AtomicInteger failed = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();

    /** The server of the last attempt; null before the first one. */
    private volatile @Nullable InetSocketAddress last;

    /**
     * Creates the list of a handle.
     *
     * @param atMost the time that a connect may take, if it is shorter than a second
     * @param onUnreachable is notified of a server that cannot be reached, and why; a server that is silent is not reported
     * @param onAllRefused is notified when the first attempt at each server was refused, with the last refusal
     */
    FirstAttempts(
            HostProvider hosts,
            Duration atMost,
            BiConsumer<InetSocketAddress, IOException> onUnreachable,
            Consumer<IOException> onAllRefused) {
        this.hosts = hosts;
        // 0 would be no limit
        limitMillis = (int) Math.max(1, Math.min(MOST_MILLIS, atMost.toMillis()));
        this.onUnreachable = onUnreachable;
        this.onAllRefused = onAllRefused;
    }

    @Override
    public int size() {
        return hosts.size();
    }

    @Override
    public InetSocketAddress next(long pauseMillis) {
        InetSocketAddress before = last;
        if (before != null && failed.getAndIncrement() < size()) {
            explain(before);
        }
        InetSocketAddress next = hosts.next(pauseMillis);
        last = next;
        return next;
    }

    private void explain(InetSocketAddress server) {
        try {
            connect(server);
        } catch (IOException e) {
            report(server, e);
        }
    }

    private void report(InetSocketAddress server, IOException failure) {
        if (!(failure instanceof SocketTimeoutException)) {
            onUnreachable.accept(server, failure);
        }
        if (NothingListens.isCauseOf(failure) && refused.incrementAndGet() == size()) {
            onAllRefused.accept(failure);
        }
    }

    /** Connects to one of the addresses of a server. Fails with a refusal only if all of them refuse. */
    private void connect(InetSocketAddress server) throws IOException {
        IOException failure = new UnknownHostException(server.getHostString());
        for (InetAddress address : addresses(server)) {
            try (Socket socket = new Socket(Proxy.NO_PROXY)) {
                socket.connect(new InetSocketAddress(address, server.getPort()), limitMillis);
                return;
            } catch (ConnectException e) {
                if (!NothingListens.isCauseOf(e)) {
                    throw e;
                }
                failure = e;
            }
        }
        throw failure;
    }

    /** Returns all addresses of a server, of which the handle has chosen one; none if its name was not resolved. */
    private static InetAddress[] addresses(InetSocketAddress server) throws UnknownHostException {
        return server.isUnresolved() ? new InetAddress[0] : InetAddress.getAllByName(server.getHostString());
    }

    @Override
    public void onConnected() {
        failed.set(size());
        hosts.onConnected();
    }

    @Override
    public boolean updateServerList(Collection<InetSocketAddress> servers, InetSocketAddress current) {
        return hosts.updateServerList(servers, current);
    }
}
