package io.holdfast.examples.flashsale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.embedded.redis.RedisServer;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What goes right where the others fail. */
@Tag("everywhere")
class HoldfastStrategiesTest {

    private static final Duration LEASE = Duration.ofSeconds(3);

    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @EnumSource(names = {"LOCK", "FAIR"})
    void aSlowSellerKeepsTheLock(StrategyKind kind) throws Exception {
        try (Scene scene = new Scene(server, kind, 10)) {
            Scene.Held slow = scene.hold(scene.process(0, LEASE));
            Future<Boolean> second = scene.sellLater(scene.process(1, LEASE));
            assertThatThrownBy(() -> second.get(LEASE.toMillis() + 500, TimeUnit.MILLISECONDS))
                    .isInstanceOf(TimeoutException.class);
            assertThat(slow.finish()).isTrue();
            assertThat(second.get(20, TimeUnit.SECONDS)).isTrue();
            assertThat(scene.books.orders()).isEqualTo(2);
            assertThat(scene.books.left()).isEqualTo(8);
        }
    }

    @Test
    void aSlowSellerHoldsUpOneShelf() throws Exception {
        try (Scene scene = new Scene(server, StrategyKind.SEGMENTED, Keys.SHELVES)) {
            Scene.Held slow = scene.hold(scene.process(0, LEASE));
            Strategy other = scene.process(1, LEASE);
            for (int i = 1; i < Keys.SHELVES; i++) {
                assertThat(scene.sell(other)).isTrue();
            }
            Future<Boolean> last = scene.sellLater(other);
            assertThat(slow.finish()).isTrue();
            assertThat(last.get(20, TimeUnit.SECONDS)).as("sold out").isFalse();
            assertThat(scene.books.orders()).isEqualTo(Keys.SHELVES);
            assertThat(scene.books.left()).isZero();
        }
    }

    @Test
    void sellersOfOneShareDoNotWaitForEachOther() throws Exception {
        try (Scene scene = new Scene(server, StrategyKind.ALLOTMENT, 100)) {
            Strategy strategy = scene.process(0, LEASE);
            Scene.Held first = scene.hold(strategy);
            assertThat(scene.sell(strategy)).isTrue();
            assertThat(first.finish()).isTrue();
            assertThat(scene.books.orders()).isEqualTo(2);
            assertThat(scene.books.left()).isEqualTo(98);
        }
    }

    @Test
    void whatIsLeftOfAShareIsReturnedAtTheEnd() throws Exception {
        try (Scene scene = new Scene(server, StrategyKind.ALLOTMENT, 100)) {
            Strategy strategy = scene.process(0, LEASE);
            assertThat(scene.sell(strategy)).isTrue();
            assertThat(scene.redis.get(scene.keys.stock())).isEqualTo("88");
            scene.end(strategy);
            assertThat(scene.redis.get(scene.keys.stock())).isEqualTo("99");
            assertThat(scene.books.left()).isEqualTo(99);
        }
    }

    @Test
    void aShareWhoseLeaseWasLostIsSoldByOthersAndOnce() throws Exception {
        try (Scene scene = new Scene(server, StrategyKind.ALLOTMENT, 20);
                Holdfast holdfast = Holdfast.connect(server.uri())) {
            Strategy loser = scene.process(0, LEASE);
            Scene.Held late = scene.hold(loser);
            holdfast.lock("flash-sale/" + scene.keys.sale() + "/share/0").forceUnlock();
            Strategy other = scene.process(1, LEASE);
            for (int i = 0; i < 20; i++) {
                assertThat(scene.sell(other)).isTrue();
            }
            assertThat(late.finish()).as("refused, and nothing else is left").isFalse();
            assertThat(scene.sell(other)).isFalse();
            assertThat(scene.books.orders()).isEqualTo(20);
            assertThat(scene.books.left()).isZero();
        }
    }
}
