package io.holdfast.zookeeper.connection;

import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.zookeeper.client.HostProvider;

/**
 * A list of servers without the pause of ZooKeeper's list before the first attempt after a cut. That list makes a handle pause
 * before it tries its only server again, in addition to the pause of the handle itself. The pauses between attempts that fail stay.
 */
final class PromptHosts implements HostProvider {

    private final HostProvider hosts;
    private final AtomicBoolean wasConnected = new AtomicBoolean();

    PromptHosts(HostProvider hosts) {
        this.hosts = hosts;
    }

    @Override
    public int size() {
        return hosts.size();
    }

    @Override
    public InetSocketAddress next(long pauseMillis) {
        return hosts.next(wasConnected.getAndSet(false) ? 0 : pauseMillis);
    }

    @Override
    public void onConnected() {
        wasConnected.set(true);
        hosts.onConnected();
    }

    /** Keeps the list, and makes the handle leave its server for the next one. */
    @Override
    public boolean updateServerList(Collection<InetSocketAddress> servers, InetSocketAddress current) {
        return true;
    }
}
