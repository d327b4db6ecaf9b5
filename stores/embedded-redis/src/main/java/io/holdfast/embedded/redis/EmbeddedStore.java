package io.holdfast.embedded.redis;

import io.holdfast.spi.ForwardingStore;
import io.holdfast.spi.LockStore;
import java.util.concurrent.atomic.AtomicBoolean;

/** A Redis store that counts as a user of the embedded server until it is closed. */
final class EmbeddedStore extends ForwardingStore {

    private final AtomicBoolean closed = new AtomicBoolean();

    EmbeddedStore(LockStore redis) {
        super(redis);
    }

    @Override
    public String describe() {
        return "embedded " + super.describe();
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            super.close();
            EmbeddedRedis.release();
        }
    }
}
