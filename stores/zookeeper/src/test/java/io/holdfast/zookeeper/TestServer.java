package io.holdfast.zookeeper;

import java.io.IOException;
import org.apache.zookeeper.ZooKeeper;

/** The shared server, for tests in other packages. */
public final class TestServer {

    private TestServer() {}

    /** Returns the URI of a store of its own. */
    public static String uri(String path) {
        return Servers.one().uri().replace("?", path + "?");
    }

    /** Returns a client to look at the nodes. */
    public static ZooKeeper client() throws IOException {
        return Servers.one().client();
    }

    /** Returns the number of requests that the server has received. */
    public static long received() {
        return Servers.one().received(0);
    }
}
