package io.holdfast.etcd;

/** The servers that the tests of this process share. They are started when they are first needed, and end with the process. */
final class Servers {

    private Servers() {}

    static Ensemble one() {
        return One.ENSEMBLE;
    }

    static Ensemble three() {
        return Three.ENSEMBLE;
    }

    private static Ensemble started(int size) {
        Ensemble ensemble = new Ensemble(size);
        Runtime.getRuntime().addShutdownHook(new Thread(ensemble::close));
        return ensemble;
    }

    private static final class One {
        private static final Ensemble ENSEMBLE = started(1);
    }

    private static final class Three {
        private static final Ensemble ENSEMBLE = started(3);
    }
}
