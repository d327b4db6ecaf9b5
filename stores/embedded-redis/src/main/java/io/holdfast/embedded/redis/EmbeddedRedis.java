package io.holdfast.embedded.redis;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The one server for all users in this JVM. The first user starts it, and the last one stops it. */
final class EmbeddedRedis {

    private static final ReentrantLock LOCK = new ReentrantLock();

    private static int users;
    private static @Nullable RedisServer server;

    private EmbeddedRedis() {}

    /**
     * Returns the shared server. It runs until {@link #release()} has been called as often as this method.
     *
     * <p>If the server cannot be started, this method throws the exception of {@link RedisServer#start(String...)}. In that
     * case, there is nothing to release, and the next call tries again.
     */
    static RedisServer acquire() {
        LOCK.lock();
        try {
            RedisServer shared = server == null ? RedisServer.start() : server;
            server = shared;
            users++;
            return shared;
        } finally {
            LOCK.unlock();
        }
    }

    /**
     * Releases the result of one {@link #acquire()}. The last release returns when the server is gone.
     *
     * @throws IllegalStateException if there is nothing to release
     */
    static void release() {
        LOCK.lock();
        try {
            RedisServer shared = server;
            if (shared == null) {
                throw new IllegalStateException("release without acquire: the embedded Redis has no users");
            }
            if (--users == 0) {
                server = null;
                shared.close();
            }
        } finally {
            LOCK.unlock();
        }
    }
}
