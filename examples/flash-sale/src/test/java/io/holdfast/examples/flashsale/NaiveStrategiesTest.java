package io.holdfast.examples.flashsale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.embedded.redis.RedisServer;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What goes wrong, forced by holding one seller between check and write. */
class NaiveStrategiesTest {

    private static final Duration SHORT = Duration.ofMillis(100);
    private static final Duration LONG = Duration.ofMinutes(1);

    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void withoutALockOneOfTwoUpdatesIsLost() throws Exception {
        try (Scene scene = new Scene(server, StrategyKind.NONE, 10)) {
            Strategy strategy = scene.process(0, LONG);
            Scene.Held first = scene.hold(strategy);
            assertThat(scene.sell(strategy)).isTrue();
            assertThat(first.finish()).isTrue();
            assertThat(scene.books.orders()).isEqualTo(2);
            assertThat(scene.books.left()).isEqualTo(9);
        }
    }

    @Test
    void decrementSellsTheLastItemToAllWhoSawIt() throws Exception {
        try (Scene scene = new Scene(server, StrategyKind.DECREMENT, 1)) {
            Strategy strategy = scene.process(0, LONG);
            Scene.Held first = scene.hold(strategy);
            assertThat(scene.sell(strategy)).isTrue();
            assertThat(first.finish()).isTrue();
            assertThat(scene.sell(strategy)).isFalse();
            assertThat(scene.books.orders()).isEqualTo(2);
            assertThat(scene.books.left()).isEqualTo(-1);
        }
    }

    @Test
    void aKeyWithoutExpiryStaysForEver() throws Exception {
        try (Scene scene = new Scene(server, StrategyKind.SETNX, 10)) {
            Scene.Held first = scene.hold(scene.process(0, SHORT));
            assertThat(scene.redis.pttl(scene.keys.lock())).as("no expiry").isEqualTo(-1);
            Future<Boolean> second = scene.sellLater(scene.process(1, SHORT));
            assertThatThrownBy(() -> second.get(3 * SHORT.toMillis(), TimeUnit.MILLISECONDS))
                    .isInstanceOf(TimeoutException.class);
            assertThat(first.finish()).isTrue();
            assertThat(second.get(20, TimeUnit.SECONDS)).isTrue();
            assertThat(scene.books.left()).isEqualTo(8);
        }
    }

    @Test
    void aSlowSellerRemovesTheKeyOfAnother() throws Exception {
        try (Scene scene = new Scene(server, StrategyKind.SETNX_TTL, 10)) {
            Scene.Held slow = scene.hold(scene.process(0, SHORT));
            Scene.Held second = scene.hold(scene.process(1, LONG));
            assertThat(slow.finish()).isTrue();
            assertThat(scene.redis.exists(scene.keys.lock())).as("freed").isZero();
            assertThat(scene.sell(scene.process(2, LONG))).as("a third, beside").isTrue();
            assertThat(second.finish()).isTrue();
            assertThat(scene.books.orders()).isEqualTo(3);
            assertThat(scene.books.left()).isEqualTo(9);
        }
    }

    @Test
    void anOwnerCheckKeepsTheThirdOutButNotTheSecond() throws Exception {
        try (Scene scene = new Scene(server, StrategyKind.SETNX_OWNER, 10)) {
            Scene.Held slow = scene.hold(scene.process(0, SHORT));
            Scene.Held second = scene.hold(scene.process(1, LONG));
            assertThat(slow.finish()).isTrue();
            assertThat(scene.redis.exists(scene.keys.lock())).as("kept").isEqualTo(1);
            assertThat(second.finish()).isTrue();
            assertThat(scene.redis.exists(scene.keys.lock())).as("freed").isZero();
            assertThat(scene.books.orders()).isEqualTo(2);
            assertThat(scene.books.left()).as("one update lost").isEqualTo(9);
        }
    }
}
