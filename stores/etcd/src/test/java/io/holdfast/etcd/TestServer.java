package io.holdfast.etcd;

import io.etcd.jetcd.api.KeyValue;
import java.util.List;

/** The shared server, for tests in other packages. */
public final class TestServer {

    private TestServer() {}

    /** Returns the URI of a store of its own. */
    public static String uri(String path) {
        return Servers.one().uri().replace("?", path + "?");
    }

    /** Returns the first keys below a prefix. */
    public static List<KeyValue> keys(String prefix) {
        return Servers.one().keys(prefix);
    }

    /** Writes a key. */
    public static void put(String key, String value) {
        Servers.one().put(key, value);
    }
}
