package io.holdfast.testservers;

import java.io.IOException;
import org.apache.zookeeper.server.quorum.QuorumPeerMain;

/** A ZooKeeper server that ends when the process that has started it ends, which closes its standard input. */
public final class ZooKeeperMain {

    private ZooKeeperMain() {}

    public static void main(String[] args) {
        Thread guard = new Thread(ZooKeeperMain::endWithParent, "end-with-parent");
        guard.setDaemon(true);
        guard.start();
        QuorumPeerMain.main(args);
    }

    private static void endWithParent() {
        try {
            while (System.in.read() >= 0) {
                // nothing is sent
            }
        } catch (IOException e) {
            // the parent is gone
        }
        Runtime.getRuntime().halt(1);
    }
}
