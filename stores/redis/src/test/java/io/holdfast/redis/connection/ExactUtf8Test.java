package io.holdfast.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExactUtf8Test {

    /** A length that is wrong would have the server take a part of one argument for the next command. */
    @ParameterizedTest
    @ValueSource(
            strings = {"", "orders:42", "Müller", "注文", "🔒", "a\uD83D", "\uDD12b", "\uD83D\uD83D\uDD12", "\0\r\n"})
    void whatIsWrittenIsAsLongAsWasSaid(String text) {
        ByteBuf written = Unpooled.buffer();
        ExactUtf8.CODEC.encodeKey(text, written);
        ExactUtf8.CODEC.encodeValue(text, written);
        assertThat(written.readableBytes()).isEqualTo(2 * ExactUtf8.CODEC.estimateSize(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "orders:42", "Müller", "注文", "🔒"})
    void whatIsWrittenIsRead(String text) {
        ByteBuf written = Unpooled.buffer();
        ExactUtf8.CODEC.encodeKey(text, written);
        assertThat(written.toString(StandardCharsets.UTF_8)).isEqualTo(text);
        assertThat(ExactUtf8.CODEC.decodeKey(written.nioBuffer())).isEqualTo(text);
    }

    @Test
    void isSaidToBeExact() {
        assertThat(ExactUtf8.CODEC.isEstimateExact()).isTrue();
    }
}
