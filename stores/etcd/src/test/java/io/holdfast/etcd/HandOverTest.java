package io.holdfast.etcd;

import io.holdfast.testkit.cluster.HandOverRules;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;

/** The sessions that clients ask for while many wait for a name. */
@Tag("etcd")
class HandOverTest extends HandOverRules {

    /**
     * An operation of a transaction that reads the key of a session without its value: three messages of protobuf inside each other,
     * each with its tag and its length, then the key, then {@code keys_only}. If a write fails, it reads the own session in the same
     * way, but the tag of such an operation is another one.
     */
    private static final Pattern QUESTION = Pattern.compile("\\x12.\\n.\\n.[\\w/]*s/[0-9a-f]+/c@\\x01", Pattern.DOTALL);

    HandOverTest() {
        super(
                new EtcdStoreProvider(),
                Servers.one().port(0),
                port -> "etcd://127.0.0.1:" + port + "?session=30s",
                QUESTION);
    }
}
