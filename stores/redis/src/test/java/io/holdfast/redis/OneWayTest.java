package io.holdfast.redis;

import io.holdfast.testkit.faults.Wire;
import java.time.Duration;
import java.util.function.BiConsumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The way to the server is open in one direction only, for a while, under six threads that contend for two names. */
class OneWayTest {

    private static final Duration LEASE = Duration.ofSeconds(2);

    /** What does not come through. */
    enum Blocked {
        REQUESTS {
            @Override
            void block(Wire wire, boolean on) {
                wire.blockRequests(on);
            }
        },
        ANSWERS {
            @Override
            void block(Wire wire, boolean on) {
                wire.blockAnswers(on);
            }
        };

        abstract void block(Wire wire, boolean on);
    }

    private static void assertAllGuaranteesHold(BiConsumer<Wire, Crowd> fault) {
        try (Servers servers = Servers.start();
                Wire wire = new Wire(servers.server.port());
                Crowd crowd = new Crowd(Servers.uri(wire.port()), LEASE)) {
            crowd.work(Duration.ofMillis(300));
            fault.accept(wire, crowd);
            crowd.healthyAgain();
            crowd.stop();
            crowd.history().check(System.nanoTime());
            crowd.assertErrorsWereForeseen();
            crowd.assertNothingIsLeft(servers);
        }
    }

    /** Long enough for requests to time out and to be repeated, and what was held back arrives late. */
    @ParameterizedTest
    @EnumSource
    void whatIsHeldBackArrivesLateAndDoesNoHarm(Blocked blocked) {
        assertAllGuaranteesHold((wire, crowd) -> {
            for (int i = 0; i < 3; i++) {
                blocked.block(wire, true);
                crowd.work(Duration.ofMillis(700));
                blocked.block(wire, false);
                crowd.work(Duration.ofMillis(100));
            }
        });
    }

    /** Nothing comes through at all, for longer than an answer is waited for: the connection is left for another one. */
    @ParameterizedTest
    @EnumSource
    void whatIsHeldBackForLongIsLeftBehind(Blocked blocked) {
        assertAllGuaranteesHold((wire, crowd) -> {
            blocked.block(wire, true);
            crowd.work(Duration.ofMillis(1_800));
            wire.cut();
            blocked.block(wire, false);
        });
    }
}
