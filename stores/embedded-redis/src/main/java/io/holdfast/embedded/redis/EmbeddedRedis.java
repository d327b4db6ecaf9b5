package io.holdfast.embedded.redis;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** One server for all users inside this JVM: the first one starts it, the last one stops it. */
final class EmbeddedRedis {

    private static final ReentrantLock LOCK = new ReentrantLock();

    private static int users;
    private static @Nullable RedisServer server;

    private EmbeddedRedis() {}

    /**
     * The shared server, which runs until as many {@link #release()} have followed.
     *
     * <p>If it cannot be started, the exception of {@link RedisServer#start(String...)} is thrown and nothing is to be
     * released; the next call tries again.
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
     * Gives one {@link #acquire()} back; the last one returns when the server is gone.
     *
     * @throws IllegalStateException if there is nothing to give back
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
