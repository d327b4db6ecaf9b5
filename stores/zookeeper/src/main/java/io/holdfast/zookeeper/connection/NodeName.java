package io.holdfast.zookeeper.connection;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/**
 * The text of a node's name. ZooKeeper does not allow a slash, control characters, and characters outside the basic plane in a
 * name. So names are written as in the query of a URL.
 */
final class NodeName {

    private NodeName() {}

    static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    /**
     * Returns the text of a name.
     *
     * @throws IllegalArgumentException if it was not encoded by this class
     */
    static String decode(String name) {
        return URLDecoder.decode(name, StandardCharsets.UTF_8);
    }
}
