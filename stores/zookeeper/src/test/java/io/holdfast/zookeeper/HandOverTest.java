package io.holdfast.zookeeper;

import io.holdfast.testkit.cluster.HandOverRules;
import io.holdfast.testservers.ZooKeeperServers;
import java.time.Duration;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;

/** The sessions that clients ask for while many wait for a name. */
@Tag("ci")
class HandOverTest extends HandOverRules {

    /**
     * The type of a request {@code exists}, the length of its path, and its path, which is the node of a session. Other requests for
     * such a node have another type.
     */
    private static final Pattern QUESTION =
            Pattern.compile("\\x00{3}\\x03\\x00{3}.[^\\x00]*/c/[^\\x00]+", Pattern.DOTALL);

    HandOverTest() {
        super(
                new ZooKeeperStoreProvider(),
                Servers.one().port(0),
                port -> ZooKeeperServers.uri("127.0.0.1:" + port, Duration.ofSeconds(30)),
                QUESTION);
    }
}
