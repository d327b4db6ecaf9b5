package io.holdfast.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.testkit.Simulation;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The answers of three servers, in virtual time. */
class FirstAnswersTest {

    private static final Duration LIMIT = Duration.ofSeconds(5);

    private final Simulation simulation = Simulation.of(7);
    private final List<CompletableFuture<Integer>> servers =
            Stream.generate(CompletableFuture<Integer>::new).limit(3).toList();
    private final CompletableFuture<Integer> latest = new FirstAnswers<>(simulation.timer("answers"), LIMIT, servers)
            .latest(Comparator.naturalOrder())
            .toCompletableFuture();

    private void runFor(long millis) {
        simulation.runFor(Duration.ofMillis(millis));
    }

    @Test
    void waitsForAMajorityThatIsSlowerThanTheNearestServer() {
        servers.get(0).complete(1);
        runFor(400);
        assertThat(latest).isNotDone();
        servers.get(1).complete(2);
        runFor(101);
        assertThat(latest).isCompletedWithValue(2);
    }

    @Test
    void believesTheOnlyServerThatAnswersAfterASecond() {
        servers.get(0).complete(1);
        runFor(999);
        assertThat(latest).isNotDone();
        runFor(2);
        assertThat(latest).isCompletedWithValue(1);
    }

    @Test
    void believesTheOnlyServerThatAnswersAtOnceIfTheOthersRefuse() {
        servers.get(0).complete(1);
        servers.get(1).completeExceptionally(new IllegalStateException("refused"));
        servers.get(2).completeExceptionally(new IllegalStateException("refused"));
        assertThat(latest).isCompletedWithValue(1);
    }

    @Test
    void reportsThatNothingListensOnlyIfThatIsSoAtEachServer() {
        servers.get(0).completeExceptionally(new ConnectException("Connection refused"));
        servers.get(1).completeExceptionally(new ConnectException("Connection refused"));
        servers.get(2).completeExceptionally(new IOException("Connection closed prematurely"));
        assertThatThrownBy(latest::join).hasRootCauseMessage("Connection closed prematurely");
    }

    @Test
    void failsIfNoServerAnswersInTime() {
        runFor(LIMIT.toMillis() + 1);
        assertThatThrownBy(latest::join)
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(TimeoutException.class);
    }
}
