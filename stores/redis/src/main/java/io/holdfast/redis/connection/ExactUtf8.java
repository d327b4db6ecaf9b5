package io.holdfast.redis.connection;

import io.lettuce.core.codec.StringCodec;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;

/**
 * A UTF-8 codec that knows the exact length of each text. So the driver writes the text directly to the output buffer. The
 * driver's own codec only estimates the length, and copies each argument of each command through an intermediate buffer.
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
