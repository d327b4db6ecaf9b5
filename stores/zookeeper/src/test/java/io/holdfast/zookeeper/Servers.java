package io.holdfast.zookeeper;

import io.holdfast.testservers.ZooKeeperServers;

/** The servers that the tests of this process share. They are started when they are first needed, and end with the process. */
final class Servers {

    private Servers() {}

    static ZooKeeperServers one() {
        return One.ENSEMBLE;
    }

    static ZooKeeperServers three() {
        return Three.ENSEMBLE;
    }

    private static ZooKeeperServers started(int size) {
        ZooKeeperServers ensemble = new ZooKeeperServers(size);
        Runtime.getRuntime().addShutdownHook(new Thread(ensemble::close));
        return ensemble;
    }

    private static final class One {
        private static final ZooKeeperServers ENSEMBLE = started(1);
    }

    private static final class Three {
        private static final ZooKeeperServers ENSEMBLE = started(3);
    }
}
