package io.holdfast.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.embedded.redis.RedisServer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** Two clients of a real server. */
@Timeout(180)
class ReactorRedisTest {

    @Test
    void theBodiesOfTwoClientsExcludeEachOtherAndALossIsReported() {
        try (RedisServer server = RedisServer.start();
                Holdfast first = Holdfast.connect(server.uri());
                Holdfast second = Holdfast.connect(server.uri())) {
            ReactorLock<Lease> one = ReactorLock.of(first.lock("a"));
            ReactorLock<Lease> two = ReactorLock.of(second.lock("a"));
            AtomicInteger inside = new AtomicInteger();
            Mono<Integer> seen = Mono.fromSupplier(inside::incrementAndGet)
                    .delayElement(Duration.ofMillis(3))
                    .map(n -> n * inside.getAndDecrement());
            assertThat(Flux.range(0, 20)
                            .flatMap(i -> (i % 2 == 0 ? one : two).withLock(lease -> seen), 20)
                            .collectList()
                            .block(Duration.ofSeconds(30)))
                    .hasSize(20)
                    .containsOnly(1);
            StepVerifier.create(one.withLock(lease ->
                            Mono.fromSupplier(second.lock("a")::forceUnlock).then(Mono.never())))
                    .verifyError(LeaseLostException.class);
        }
    }
}
