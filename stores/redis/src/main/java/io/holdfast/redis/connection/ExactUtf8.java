package io.holdfast.redis.connection;

import io.lettuce.core.codec.StringCodec;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;

/**
 * UTF-8 that knows how long a text will be, so that the driver writes it where it belongs. Of the driver's own codec the length
 * is only guessed, and each argument of each command goes through a buffer of its own.
 */
public final class ExactUtf8 extends StringCodec {

    public static final ExactUtf8 CODEC = new ExactUtf8();

    private ExactUtf8() {
        super(StandardCharsets.UTF_8);
    }

    @Override
    public int estimateSize(Object text) {
        return text == null ? 0 : ByteBufUtil.utf8Bytes((String) text);
    }

    @Override
    public boolean isEstimateExact() {
        return true;
    }
}
