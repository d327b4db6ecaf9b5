package io.holdfast.redis.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.redis.connection.Redirect;
import io.holdfast.spi.ServerClock;
import io.holdfast.spi.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two nodes whose clocks differ by an hour, in virtual time: no request is made for the clock of one and applied by the other. */
class RoutedRequestTest {

    private static final long HOUR_MICROS = TimeUnit.HOURS.toMicros(1);
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    private final Node ahead = new Node(2 * HOUR_MICROS);
    private final Node behind = new Node(HOUR_MICROS);
    private final List<String> done = new ArrayList<>();
    private long nanos;
    private Node keeper = ahead;

    /** What a node shows on its clock is what the client's clock shows, and an offset. */
    private final class Node implements RoutedRequest.Route<Node> {

        private final long offsetMicros;
        private final ServerClock clock = new ServerClock();
        private Optional<String> redirection = Optional.empty();

        Node(long offsetMicros) {
            this.offsetMicros = offsetMicros;
        }

        long micros() {
            return offsetMicros + nanos / 1_000;
        }

        long notAfter() {
            return clock.notAfter(nanos, TIMEOUT);
        }

        CompletionStage<String> take(long notAfter) {
            if (redirection.isPresent()) {
                Redirect why = Redirect.in(redirection.get()).orElseThrow();
                redirection = Optional.empty();
                return CompletableFuture.failedStage(
                        new StoreException(StoreException.Effect.NOT_APPLIED, "redirected", why));
            }
            String answer = micros() > notAfter ? "late" : "applied until " + notAfter;
            done.add(this == ahead ? "ahead: " + answer : "behind: " + answer);
            return CompletableFuture.completedStage(answer);
        }

        @Override
        public Optional<Node> node() {
            return Optional.of(keeper);
        }

        @Override
        public CompletionStage<Void> refresh() {
            throw new AssertionError("it is known who keeps the slot");
        }

        @Override
        public RuntimeException uncovered() {
            return new IllegalStateException("it is known who keeps the slot");
        }

        @Override
        public CompletionStage<Void> moved(Node from, Redirect redirect) {
            keeper = behind;
            return CompletableFuture.completedStage(null);
        }

        /** The slot arrives meanwhile. */
        @Override
        public CompletionStage<Void> pause() {
            nanos += 20_000_000;
            keeper = behind;
            return CompletableFuture.completedStage(null);
        }

        @Override
        public boolean isOver(Redirect redirect) {
            return nanos > TIMEOUT.toNanos();
        }
    }

    private String run() {
        ahead.clock.observe(nanos, ahead.micros());
        behind.clock.observe(nanos, behind.micros());
        long notAfter = keeper.notAfter();
        return new RoutedRequest<Node, String>(ahead, node -> node.take(notAfter), node -> node.take(0))
                .run()
                .toCompletableFuture()
                .join();
    }

    @ParameterizedTest
    @ValueSource(strings = {"TRYAGAIN Multiple keys", "ASK 7 127.0.0.1:7001", "MOVED 7 127.0.0.1:7001"})
    void whatWasMadeForTheClockOfOneNodeIsLateAtAnother(String answer) {
        ahead.redirection = Optional.of(answer);
        assertThat(run()).isEqualTo("late");
        assertThat(done).containsExactly("behind: late");
    }

    @Test
    void atItsOwnNodeItIsAppliedAlsoAfterAPause() {
        keeper = behind;
        behind.redirection = Optional.of("TRYAGAIN Multiple keys");
        assertThat(run()).isEqualTo("applied until " + (HOUR_MICROS + TIMEOUT.toNanos() / 1_000));
    }

    /** The engine does not know which node replied. */
    @Test
    void aClockThatIsReadDoesNotLearnTheTimeOfAnotherNode() {
        behind.clock.observe(nanos, behind.micros());
        behind.clock.readOnly().observe(nanos, ahead.micros());
        assertThat(behind.clock.readOnly().notAfter(nanos, Duration.ZERO)).isEqualTo(behind.micros());
    }
}
