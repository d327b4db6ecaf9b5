package io.holdfast.embedded.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
@Tag("everywhere")
class EmbeddedRedisTest {

    @Test
    void firstUserStartsAndLastUserStops() throws Exception {
        RedisServer first = EmbeddedRedis.acquire();
        assertThat(EmbeddedRedis.acquire()).isSameAs(first);

        EmbeddedRedis.release();
        assertThat(Resp.call(first.port(), "PING")).isEqualTo("+PONG");

        EmbeddedRedis.release();
        assertThat(Processes.lives(first.pid())).isFalse();
        assertThat(first.home()).doesNotExist();
    }

    @Test
    void userAfterTheLastOneGetsANewServer() throws Exception {
        RedisServer first = EmbeddedRedis.acquire();
        EmbeddedRedis.release();

        RedisServer second = EmbeddedRedis.acquire();
        try {
            assertThat(second).isNotSameAs(first);
            assertThat(Resp.call(second.port(), "PING")).isEqualTo("+PONG");
        } finally {
            EmbeddedRedis.release();
        }
    }

    @Test
    void releaseWithoutAcquireIsRefused() {
        assertThatIllegalStateException().isThrownBy(EmbeddedRedis::release).withMessageContaining("without acquire");
    }
}
