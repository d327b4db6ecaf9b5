package io.holdfast.etcd;

import io.holdfast.testservers.EtcdServers;

/** The servers that the tests of this process share. They are started when they are first needed, and end with the process. */
final class Servers {

    private Servers() {}

    static EtcdServers one() {
        return One.ENSEMBLE;
    }

    static EtcdServers three() {
        return Three.ENSEMBLE;
    }

    private static EtcdServers started(int size) {
        EtcdServers ensemble = new EtcdServers(size);
        Runtime.getRuntime().addShutdownHook(new Thread(ensemble::close));
        return ensemble;
    }

    private static final class One {
        private static final EtcdServers ENSEMBLE = started(1);
    }

    private static final class Three {
        private static final EtcdServers ENSEMBLE = started(3);
    }
}
