package io.holdfast.examples.flashsale;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.embedded.redis.RedisServer;
import io.holdfast.examples.flashsale.Entries.Timed;
import io.holdfast.examples.flashsale.Timeline.Mishap;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class TimelineTest {

    private static final Seller ONE = new Seller(0, 1);
    private static final Seller TWO = new Seller(0, 2);
    private static final Seller OTHER = new Seller(1, 1);

    private final TimelineBuilder timeline = new TimelineBuilder();

    @Test
    void aVisitEndsWithItsOrderOrWithoutOne() {
        journal(10, Entry.BEGIN, ONE, 1);
        journal(12, Entry.BEGIN, OTHER, 1);
        journal(15, Entry.END, OTHER, 1);
        journal(20, Entry.BEGIN, ONE, 2);
        order(13, ONE, 1);
        order(24, ONE, 2);
        assertThat(timeline.build().visits())
                .containsExactly(new Visit(ONE, 10, 13), new Visit(OTHER, 12, 15), new Visit(ONE, 20, 24));
    }

    @Test
    void aDeathEndsAllVisitsOfItsProcess() {
        journal(10, Entry.BEGIN, ONE, 1);
        journal(11, Entry.BEGIN, TWO, 1);
        journal(12, Entry.BEGIN, OTHER, 1);
        journal(15, Accident.HALT.name(), TWO, 1);
        Visit dead = new Visit(TWO, 11, 15);
        assertThat(timeline.build().visits())
                .containsExactly(new Visit(ONE, 10, 15), dead, new Visit(OTHER, 12, Visit.NEVER));
        assertThat(timeline.build().mishaps()).containsExactly(new Mishap(Accident.HALT, 15, dead));
    }

    @Test
    void anOrderFromBeforeTheJournalIsLeftOut() {
        order(13, ONE, 1);
        assertThat(timeline.build().visits()).isEmpty();
    }

    @Test
    void redisKnowsWhenSellersWereInside() throws Exception {
        try (RedisServer server = RedisServer.start();
                Scene scene = new Scene(server, StrategyKind.NONE, 10)) {
            Strategy strategy = scene.process(0, Duration.ofSeconds(1));
            Scene.Held around = scene.hold(strategy);
            scene.sell(strategy);
            around.finish();
            assertThat(scene.books.timeline().visits()).hasSize(2).satisfies(visits -> {
                Visit outer = visits.get(0);
                Visit inner = visits.get(1);
                assertThat(outer.seller().process()).isZero();
                assertThat(inner.begin()).isBetween(outer.begin(), inner.end());
                assertThat(inner.end()).isLessThanOrEqualTo(outer.end());
            });
            assertThat(scene.books.orderMillis()).hasSize(2).isSorted();
        }
    }

    @Test
    void anAccidentHappensToOneSellerOfAllProcesses() throws Exception {
        try (RedisServer server = RedisServer.start();
                Scene scene = new Scene(server, StrategyKind.NONE, 10)) {
            Journal first = scene.shop(0).journal();
            first.begin();
            assertThat(first.claim(Accident.SLOW)).isTrue();
            assertThat(scene.shop(1).journal().claim(Accident.SLOW)).isFalse();
            assertThat(scene.books.timeline().mishaps()).singleElement().satisfies(mishap -> {
                assertThat(mishap.accident()).isEqualTo(Accident.SLOW);
                assertThat(mishap.visit().seller()).isEqualTo(new Seller(0, 0));
            });
        }
    }

    private void journal(long millis, String what, Seller seller, long number) {
        timeline.journal(new Timed(millis, new Entry(what, seller, number)));
    }

    private void order(long millis, Seller seller, long number) {
        timeline.order(new Timed(millis, new Entry(Entry.ORDER, seller, number)));
    }
}
