package io.holdfast.examples.flashsale;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.embedded.redis.RedisServer;
import org.junit.jupiter.api.Test;

class JournalTest {

    private static final int PAUSE_MILLIS = 300;

    @Test
    void redisKnowsOfAnEndBeforeTheSellerGoesOn() {
        try (RedisServer server = RedisServer.start();
                Scene scene = new Scene(server, StrategyKind.LOCK, 1)) {
            Journal journal = scene.shop(0).journal();
            journal.begin();
            PausedWrites.pause(scene.redis, PAUSE_MILLIS);
            journal.end();
            assertThat(scene.redis.xlen(scene.keys.journal())).isEqualTo(2);
        }
    }
}
