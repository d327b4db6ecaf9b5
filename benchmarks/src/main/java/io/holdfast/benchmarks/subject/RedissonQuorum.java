package io.holdfast.benchmarks.subject;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.Lock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/** The RedLock of Redisson, with its defaults. */
final class RedissonQuorum implements Subject {

    private final List<RedissonClient> clients;

    RedissonQuorum(List<String> uris, Duration lease) {
        clients = uris.stream().map(uri -> RedissonSubject.connect(uri, lease)).toList();
    }

    /** Deprecated there, in favor of a lock at one server, which is a different promise. */
    @Override
    @SuppressWarnings("deprecation")
    public Lock lock(String name) {
        return new org.redisson.RedissonRedLock(
                clients.stream().map(client -> client.getLock(name)).toArray(RLock[]::new));
    }

    @Override
    public void close() {
        clients.forEach(RedissonClient::shutdown);
    }
}
