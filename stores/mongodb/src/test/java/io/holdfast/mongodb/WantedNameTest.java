package io.holdfast.mongodb;

import io.holdfast.testkit.crowd.WantedNameRules;
import java.time.Duration;
import org.junit.jupiter.api.Tag;

/** A name that many clients want. */
@Tag("night")
class WantedNameTest extends WantedNameRules {

    WantedNameTest() {
        super(Servers.uri(), Duration.ofSeconds(2), 16);
    }
}
