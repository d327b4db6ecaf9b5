package io.holdfast.benchmarks.subject;

import java.util.List;

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

    /** Returns the URIs of independent servers, which are joined by blanks. */
    static List<String> split(String uris) {
        return List.of(uris.split(" "));
    }

    /** Returns the URI without its scheme. */
    public static String withoutScheme(String uri) {
        return uri.replaceFirst("^[a-z]+://", "");
    }
}
