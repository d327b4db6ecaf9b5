package io.holdfast.examples.flashsale;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.embedded.redis.RedisServer;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import org.junit.jupiter.api.Test;

class JournalTest {

    private static final int PAUSE_MILLIS = 300;

    @Test
    void redisKnowsOfAnEndBeforeTheSellerGoesOn() {
        try (RedisServer server = RedisServer.start();
                Scene scene = new Scene(server, StrategyKind.LOCK, 1)) {
            Journal journal = scene.shop(0).journal();
            journal.begin();
            pauseWrites(scene);
            journal.end();
            assertThat(scene.redis.xlen(scene.keys.journal())).isEqualTo(2);
        }
    }

    private static void pauseWrites(Scene scene) {
        scene.redis.dispatch(
                CommandType.CLIENT,
                new StatusOutput<>(StringCodec.UTF8),
                new CommandArgs<>(StringCodec.UTF8)
                        .add("PAUSE")
                        .add(PAUSE_MILLIS)
                        .add("WRITE"));
    }
}
