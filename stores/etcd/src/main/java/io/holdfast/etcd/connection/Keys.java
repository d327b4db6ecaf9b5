package io.holdfast.etcd.connection;

import com.google.protobuf.ByteString;
import io.holdfast.support.store.RecordKey;
import io.holdfast.support.store.RecordKey.Kind;
import java.util.List;
import java.util.Optional;

/**
 * The keys of a store.
 *
 * <pre>
 * s/SESSION/c     under the lease of the session: the session lives. When it was written last is the epoch
 * s/SESSION/b     under the lease of the session: written by each heartbeat
 * s/SESSION/in/N  under the lease of the session: the last message number N of a write to the session
 * n/CLIENT        under the lease of its session: the session of a client, and who it is
 * r/NAME          a record; the first letter of NAME is the kind
 * floor           the highest token unit of the records that were deleted
 * </pre>
 *
 * @param root the beginning of all keys
 */
record Keys(String root) {

    private static final String LETTERS = "lsa";
    private static final List<Kind> KINDS = List.of(Kind.LOCK, Kind.SEMAPHORE, Kind.LATCH);

    private ByteString key(String text) {
        return ByteString.copyFromUtf8(root + text);
    }

    /** Returns the beginning of all keys of a session. */
    ByteString ofSession(String session) {
        return key("s/" + session + "/");
    }

    ByteString session(String session) {
        return key("s/" + session + "/c");
    }

    ByteString heartbeat(String session) {
        return key("s/" + session + "/b");
    }

    /** Returns the beginning of the keys of all messages to a session. */
    ByteString messages(String session) {
        return key("s/" + session + "/in/");
    }

    ByteString message(String session, int number) {
        return key("s/" + session + "/in/" + number);
    }

    ByteString client(String id) {
        return key("n/" + id);
    }

    ByteString floor() {
        return key("floor");
    }

    /** Returns the beginning of all records. */
    ByteString records() {
        return key("r/");
    }

    /** Returns the key of a record, or the beginning of the keys of records below a prefix. */
    ByteString record(RecordKey key) {
        return key("r/" + LETTERS.charAt(KINDS.indexOf(key.kind())) + key.text());
    }

    /** Returns the name of a record; empty if another program has written the key. */
    Optional<RecordKey> name(ByteString key) {
        String text = key.substring(records().size()).toStringUtf8();
        int kind = text.isEmpty() ? -1 : LETTERS.indexOf(text.charAt(0));
        return kind < 0 ? Optional.empty() : Optional.of(new RecordKey(KINDS.get(kind), text.substring(1)));
    }

    /** Returns the first key after all keys that begin with a prefix, which does not end with the highest byte. */
    static ByteString endOf(ByteString prefix) {
        int last = prefix.size() - 1;
        return prefix.substring(0, last).concat(ByteString.copyFrom(new byte[] {(byte) (prefix.byteAt(last) + 1)}));
    }

    /** Returns the first key after a key. */
    static ByteString after(ByteString key) {
        return key.concat(ByteString.copyFrom(new byte[1]));
    }
}
