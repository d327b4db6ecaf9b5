package io.holdfast.zookeeper.connection;

import io.holdfast.support.store.RecordKey;
import io.holdfast.support.store.RecordKey.Kind;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The paths of the nodes of a store.
 *
 * <pre>
 * c/SESSION          ephemeral: the session lives; its data is written by each heartbeat
 * n/CLIENT           ephemeral: the session of a client, and who it is
 * in/SESSION         the inbox of a session
 * in/SESSION/TEXT-N  a message: its text is its name
 * r/XX/NAME          a record; XX are two digits of a hash; the first letter of NAME is the kind
 * </pre>
 *
 * <p>The data of a folder {@code r/XX} is the highest token unit of the records that were deleted in it.
 *
 * @param root the node below which all others are
 */
record Paths(String root) {

    /** The number of folders of records. */
    static final int FOLDERS = 256;

    private static final String LETTERS = "lsa";
    private static final List<Kind> KINDS = List.of(Kind.LOCK, Kind.SEMAPHORE, Kind.LATCH);

    /** Returns all nodes that have to exist before a session begins, parents first. */
    List<String> parents() {
        String[] parts = root.substring(1).split("/");
        List<String> above = IntStream.rangeClosed(1, parts.length)
                .mapToObj(length -> "/" + String.join("/", List.of(parts).subList(0, length)))
                .toList();
        return Stream.concat(above.stream(), Stream.of("c", "n", "in", "r").map(each -> root + "/" + each))
                .toList();
    }

    String session(String id) {
        return root + "/c/" + id;
    }

    String client(String id) {
        return root + "/n/" + NodeName.encode(id);
    }

    String sessions() {
        return root + "/c";
    }

    String inboxes() {
        return root + "/in";
    }

    String inbox(String session) {
        return inboxes() + "/" + session;
    }

    /** Returns the path of a message, to which ZooKeeper appends a number. */
    String message(String session, String text) {
        return inbox(session) + "/" + NodeName.encode(text) + "-";
    }

    /** Returns the text of a message. */
    static String message(String path) {
        return NodeName.decode(path.substring(path.lastIndexOf('/') + 1, path.lastIndexOf('-')));
    }

    String folder(int number) {
        return root + "/r/" + HexFormat.of().toHexDigits((byte) number);
    }

    String folder(RecordKey key) {
        int hash = key.text().hashCode();
        return folder((hash ^ hash >>> 8 ^ hash >>> 16 ^ hash >>> 24) & 0xff);
    }

    String record(RecordKey key) {
        return folder(key) + "/" + LETTERS.charAt(KINDS.indexOf(key.kind())) + NodeName.encode(key.text());
    }

    /** Returns the key of a record; empty if another program has made the node. */
    static Optional<RecordKey> key(String name) {
        int kind = name.isEmpty() ? -1 : LETTERS.indexOf(name.charAt(0));
        try {
            return kind < 0
                    ? Optional.empty()
                    : Optional.of(new RecordKey(KINDS.get(kind), NodeName.decode(name.substring(1))));
        } catch (IllegalArgumentException foreign) {
            return Optional.empty();
        }
    }
}
