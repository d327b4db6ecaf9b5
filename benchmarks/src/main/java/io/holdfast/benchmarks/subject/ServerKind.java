package io.holdfast.benchmarks.subject;

/** The kind of the measured server, by the scheme of its URI. */
public enum ServerKind {
    /** Redis. */
    REDIS,

    /** A database with JDBC. */
    DATABASE,

    /** ZooKeeper. */
    ZOOKEEPER,

    /** etcd. */
    ETCD,

    /** MongoDB. */
    MONGODB;

    /** Returns the kind of the server at the URI. */
    public static ServerKind of(String uri) {
        return switch (uri.replaceFirst("(?s):.*", "")) {
            case "jdbc" -> DATABASE;
            case "zookeeper", "zk" -> ZOOKEEPER;
            case "etcd" -> ETCD;
            case "mongodb" -> MONGODB;
            default -> REDIS;
        };
    }

    /** Returns the URI without its scheme. */
    public static String withoutScheme(String uri) {
        return uri.replaceFirst("^[a-z]+://", "");
    }
}
