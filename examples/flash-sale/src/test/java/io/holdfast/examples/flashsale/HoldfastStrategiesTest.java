package io.holdfast.examples.flashsale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.embedded.redis.RedisServer;
import io.holdfast.redis.RedisFence;
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

    private static final Duration LEASE = Duration.ofSeconds(8);

    /** A lease that does not end before a test takes the hold away, however slow the machine is. */
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

    @ParameterizedTest
    @EnumSource(names = {"LOCK", "FAIR", "SEGMENTED"})
    void aHoldThatIsLostIsCountedAndThePurchaseStands(StrategyKind kind) throws Exception {
        try (Scene scene = new Scene(server, kind, Keys.SHELVES)) {
            Scene.Held loser = scene.hold(scene.process(0, LONG));
            scene.takeHoldsAway();
            assertThat(loser.finish()).isTrue();
            assertThat(scene.books.orders()).isEqualTo(1);
            assertThat(scene.books.left()).isEqualTo(Keys.SHELVES - 1);
            assertThat(scene.books.count(Setback.LOST_HOLD)).isEqualTo(1);
            assertThat(scene.books.count(Setback.FENCED_OFF)).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"LOCK", "FAIR"})
    void aPurchaseThatIsFencedOffIsRepeated(StrategyKind kind) throws Exception {
        try (Scene scene = new Scene(server, kind, 10)) {
            Scene.Held loser = scene.hold(scene.process(0, LONG));
            scene.takeHoldsAway();
            assertThat(scene.sell(scene.process(1, LONG))).isTrue();
            assertThat(loser.finish()).isTrue();
            assertThat(scene.books.orders()).isEqualTo(2);
            assertThat(scene.books.left()).isEqualTo(8);
            assertThat(scene.books.count(Setback.LOST_HOLD)).isEqualTo(1);
            assertThat(scene.books.count(Setback.FENCED_OFF)).isEqualTo(1);
        }
    }

    @Test
    void aFormerHolderReadsNothing() throws Exception {
        try (Scene scene = new Scene(server, StrategyKind.LOCK, 10)) {
            Shop shop = scene.shop(0);
            assertThat(shop.stock(2).open()).isTrue();
            Sale late = new Sale(shop, journal -> {
                throw new IllegalStateException("nothing to work on");
            });
            assertThat(late.sellOne(shop.stock(1))).isEqualTo(Outcome.FENCED_OFF);
            assertThat(scene.books.count(Setback.FENCED_OFF)).isEqualTo(1);
            assertThat(scene.books.timeline().visits())
                    .as("it was never inside")
                    .isEmpty();
        }
    }

    @Test
    void nothingOfAFenceStaysBehind() throws Exception {
        try (Scene scene = new Scene(server, StrategyKind.LOCK, 10)) {
            assertThat(scene.sell(scene.process(0, LONG))).isTrue();
            String guard = RedisFence.guardKey(scene.keys.stock());
            assertThat(scene.redis.pttl(guard)).isPositive();
            scene.shop(0).count(Setback.LOST_HOLD);
            scene.books.keepAlive();
            assertThat(scene.redis.pttl(scene.keys.setbacks())).isPositive();
            assertThat(scene.keys.kept()).contains(guard);
        }
    }

    @Test
    void aPurchaseFromAShelfIsRepeatedUntilAllAreSoldOut() throws Exception {
        try (Scene scene = new Scene(server, StrategyKind.SEGMENTED, Keys.SHELVES)) {
            Scene.Held loser = scene.hold(scene.process(0, LONG));
            scene.takeHoldsAway();
            Strategy other = scene.process(1, LONG);
            for (int i = 0; i < Keys.SHELVES; i++) {
                assertThat(scene.sell(other)).isTrue();
            }
            assertThat(loser.finish()).as("sold out").isFalse();
            assertThat(scene.books.orders()).isEqualTo(Keys.SHELVES);
            assertThat(scene.books.left()).isZero();
            assertThat(scene.books.count(Setback.FENCED_OFF)).isEqualTo(1);
        }
    }

    @Test
    void aSlowSellerHoldsUpOneShelf() throws Exception {
        try (Scene scene = new Scene(server, StrategyKind.SEGMENTED, Keys.SHELVES)) {
            Scene.Held slow = scene.hold(scene.process(0, LONG));
            Strategy other = scene.process(1, LONG);
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
            Strategy strategy = scene.process(0, LONG);
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
            Strategy strategy = scene.process(0, LONG);
            assertThat(scene.sell(strategy)).isTrue();
            assertThat(scene.redis.get(scene.keys.stock())).isEqualTo("88");
            scene.end(strategy);
            assertThat(scene.redis.get(scene.keys.stock())).isEqualTo("99");
            assertThat(scene.books.left()).isEqualTo(99);
        }
    }

    @Test
    void theLossOfALeaseIsCountedWhenTheShareIsReturned() throws Exception {
        try (Scene scene = new Scene(server, StrategyKind.ALLOTMENT, 100)) {
            Strategy strategy = scene.process(0, LONG);
            assertThat(scene.sell(strategy)).isTrue();
            scene.takeHoldsAway();
            scene.end(strategy);
            assertThat(scene.books.left()).isEqualTo(99);
            assertThat(scene.books.count(Setback.LOST_HOLD)).isEqualTo(1);
        }
    }

    @Test
    void aShareWhoseLeaseWasLostIsSoldByOthersAndOnce() throws Exception {
        try (Scene scene = new Scene(server, StrategyKind.ALLOTMENT, 20);
                Holdfast holdfast = Holdfast.connect(server.uri())) {
            Strategy loser = scene.process(0, LONG);
            Scene.Held late = scene.hold(loser);
            holdfast.lock("flash-sale/" + scene.keys.sale() + "/share/0").forceUnlock();
            Strategy other = scene.process(1, LONG);
            for (int i = 0; i < 20; i++) {
                assertThat(scene.sell(other)).isTrue();
            }
            assertThat(late.finish()).as("refused, and nothing else is left").isFalse();
            assertThat(scene.books.count(Setback.LOST_HOLD)).isZero();
            assertThat(scene.books.count(Setback.FENCED_OFF)).isEqualTo(1);
            assertThat(scene.sell(other)).isFalse();
            assertThat(scene.books.orders()).isEqualTo(20);
            assertThat(scene.books.left()).isZero();
        }
    }
}
