package io.holdfast.redis;

import io.holdfast.testkit.crowd.WantedNameRules;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

/** A name that many clients want. */
@Tag("night")
class WantedNameTest extends WantedNameRules {

    private static final Servers SERVERS = Servers.start();

    WantedNameTest() {
        super(SERVERS.uri(), Duration.ofSeconds(2), 16, 64);
    }

    @AfterAll
    static void end() {
        SERVERS.close();
    }
}
