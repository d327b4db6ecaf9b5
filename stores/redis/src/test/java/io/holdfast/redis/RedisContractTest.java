package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreConfig;
import io.holdfast.testkit.contract.RealTimeHarness;
import io.holdfast.testkit.contract.StoreContract;
import io.holdfast.testkit.contract.StoreHarness;
import java.time.Duration;
import java.util.List;

/** The rules of all stores, with a real server. */
class RedisContractTest extends StoreContract {

    @Override
    protected StoreHarness newHarness() {
        return new Harness();
    }

    private static final class Harness extends RealTimeHarness {

        private static final Duration LIMIT = Duration.ofSeconds(5);

        private final Servers servers = Servers.shared();

        Harness() {
            wipe();
        }

        @Override
        public String uri() {
            return servers.uri();
        }

        @Override
        public LockStore open(StoreConfig config) {
            return new RedisStoreProvider().open(config);
        }

        @Override
        public void wipe() {
            servers.redis.flushall();
        }

        /** Counters of tokens may stay, how many permits a semaphore has, and what a lease still keeps that a rule did not give back. */
        @Override
        public void close() {
            passUntil(() -> left().isEmpty(), LIMIT);
            assertThat(left()).as("keys without an end, or of closed clients").isEmpty();
        }

        private List<String> left() {
            return servers.redis.keys("*").stream()
                    .filter(key ->
                            key.startsWith("hf:client:") || (servers.redis.pttl(key) == -1 && !key.contains("}:pl:")))
                    .toList();
        }
    }
}
