package io.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreConfig;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.contract.RealTimeHarness;
import io.holdfast.testservers.ZooKeeperServers;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZKUtil;
import org.apache.zookeeper.ZooKeeper;

/** An ensemble, and a client to look at its nodes. Each harness has a path of its own. */
final class ZooKeeperHarness extends RealTimeHarness {

    /** Less than the length of a session, so that one that is left open is found. */
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private final String chroot = "/rule" + NUMBERS.incrementAndGet();
    private final ZooKeeperServers ensemble;
    private final ZooKeeper client;

    ZooKeeperHarness(ZooKeeperServers ensemble) {
        this.ensemble = ensemble;
        try {
            client = ensemble.client();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public String uri() {
        return ensemble.uri().replace("?", chroot + "?");
    }

    @Override
    public LockStore open(StoreConfig config) {
        return new ZooKeeperStoreProvider().open(config);
    }

    @Override
    public void wipe() {
        for (String folder : children("/r")) {
            try {
                boolean unused = ZKUtil.deleteRecursive(client, chroot + "/holdfast/r/" + folder, 100);
            } catch (InterruptedException | KeeperException e) {
                throw new AssertionError(e);
            }
        }
    }

    /** Returns the children of a node below the root of the store. */
    List<String> children(String path) {
        // the server of this client may not know yet what another client has written at its own
        CompletableFuture<Integer> caughtUp = new CompletableFuture<>();
        client.sync("/", (code, at, context) -> caughtUp.complete(code), caughtUp);
        assertThat(Await.reply(caughtUp)).isZero();
        try {
            return client.getChildren(chroot + "/holdfast" + path, false);
        } catch (InterruptedException | KeeperException e) {
            throw new AssertionError(e);
        }
    }

    /** Records stay; sessions do not. */
    @Override
    public void close() {
        passUntil(() -> children("/c").isEmpty(), LIMIT);
        assertThat(children("/c")).as("sessions").isEmpty();
        assertThat(children("/n")).as("clients").isEmpty();
        try {
            client.close();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
