package io.holdfast.benchmarks.subject;

import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Lock;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.NodeExistsException;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;

/**
 * An ephemeral node that is created and deleted through the plain client: the lower bound that server and client set. A thread
 * that finds the node there watches it, and tries again when it is gone, which is one watch event and one round trip.
 */
final class ZooKeeperFloor implements Subject {

    private static final int SESSION_MILLIS = 30_000;
    private static final byte[] NOTHING = {};
    // the client asks the list for null, which List.of refuses
    private static final List<ACL> ANYBODY = Collections.singletonList(new ACL(Perms.ALL, new Id("world", "anyone")));

    private final ZooKeeper zooKeeper;

    ZooKeeperFloor(String uri) {
        try {
            zooKeeper = new ZooKeeper(ServerKind.withoutScheme(uri), SESSION_MILLIS, event -> {});
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private interface Request<T> {
        T run() throws KeeperException, InterruptedException;
    }

    private static <T> T run(Request<T> request) {
        return Interruptions.none(() -> {
            try {
                return request.run();
            } catch (KeeperException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    @Override
    public Lock lock(String name) {
        String path = "/floor-" + name;
        return new SimpleLock() {
            @Override
            public void lock() {
                while (!run(() -> created(path))) {
                    awaitDeletion(path);
                }
            }

            @Override
            public void unlock() {
                run(() -> {
                    zooKeeper.delete(path, -1);
                    return path;
                });
            }
        };
    }

    private boolean created(String path) throws KeeperException, InterruptedException {
        try {
            var unused = zooKeeper.create(path, NOTHING, ANYBODY, CreateMode.EPHEMERAL);
            return true;
        } catch (NodeExistsException e) {
            return false;
        }
    }

    private void awaitDeletion(String path) {
        Semaphore changed = new Semaphore(0);
        if (run(() -> zooKeeper.exists(path, event -> changed.release()) != null)) {
            changed.acquireUninterruptibly();
        }
    }

    @Override
    public void close() {
        Interruptions.none(() -> {
            zooKeeper.close();
            return zooKeeper;
        });
    }
}
