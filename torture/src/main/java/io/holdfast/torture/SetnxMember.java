package io.holdfast.torture;

import io.holdfast.testkit.crowd.CrowdLine;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A process of a crowd whose lock is a key with a time to live. Its owner sets the key if it is absent, and deletes it by a script if
 * it still has the owner's value. The key is not renewed, and nobody is told of its end. There are no tokens either, so the time of a
 * grant stands for its token.
 */
final class SetnxMember {

    private static final String NAME = "n-setnx";
    private static final String DELETE_OWN =
            "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0";
    private static final Duration COMMAND = Duration.ofSeconds(1);
    private static final Duration CONNECT = Duration.ofSeconds(30);
    private static final long WORK_NANOS = 1_000_000;
    private static final long PAUSE_NANOS = 2_000_000;

    private final RedisCommands<String, String> redis;
    private final long leaseMillis;
    private final AtomicLong lastId = new AtomicLong();
    private volatile boolean over;

    private SetnxMember(RedisCommands<String, String> redis, long leaseMillis) {
        this.redis = redis;
        this.leaseMillis = leaseMillis;
    }

    /** Works until its input ends. The arguments are the URI, the lease in milliseconds, and the number of threads. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        RedisURI uri = RedisURI.create(arguments[0]);
        uri.setTimeout(COMMAND);
        RedisClient client = RedisClient.create(uri);
        SetnxMember member = new SetnxMember(connect(client).sync(), Long.parseLong(arguments[1]));
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < Integer.parseInt(arguments[2]); i++) {
            threads.add(new Thread(member::contend, "thread-" + i));
        }
        threads.forEach(Thread::start);
        if (System.in.read() >= 0) {
            throw new IOException("input that is not its end");
        }
        member.over = true;
        for (Thread thread : threads) {
            thread.join();
        }
        client.shutdown();
        CrowdLine.DONE.say();
    }

    /** Connects, though the server may be down for a while. */
    private static StatefulRedisConnection<String, String> connect(RedisClient client) {
        long end = System.nanoTime() + CONNECT.toNanos();
        while (true) {
            try {
                return client.connect();
            } catch (RedisException e) {
                if (System.nanoTime() - end > 0) {
                    throw e;
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    private void contend() {
        while (!over) {
            try {
                turn(UUID.randomUUID().toString());
            } catch (RedisException e) {
                CrowdLine.FAILURE.say(e.getClass().getSimpleName());
            } catch (RuntimeException | Error e) {
                CrowdLine.ERROR.say(e);
                over = true;
            }
        }
    }

    private void turn(String owner) {
        if (!"OK".equals(redis.set(NAME, owner, SetArgs.Builder.nx().px(leaseMillis)))) {
            LockSupport.parkNanos(PAUSE_NANOS);
            return;
        }
        long id = lastId.incrementAndGet();
        long now = System.nanoTime();
        CrowdLine.GRANT.say(id, NAME, Thread.currentThread().getName(), now, false, false, now, Long.MAX_VALUE);
        LockSupport.parkNanos(WORK_NANOS);
        CrowdLine.RELEASE.say(id, System.nanoTime());
        var unused = redis.eval(DELETE_OWN, ScriptOutputType.INTEGER, new String[] {NAME}, owner);
    }
}
