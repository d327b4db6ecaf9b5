package io.holdfast.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.embedded.redis.RedisServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Processes of both kinds lock the same names for a while. What each has held, by the clock that all processes of a machine
 * share, is told afterwards, and looked at as a whole.
 */
@Tag("night")
class SoakTest {

    private static final int PROCESSES = Integer.getInteger("holdfast.soak.processes", 2);
    private static final int SECONDS = Integer.getInteger("holdfast.soak.seconds", 5);
    private static final Duration MOST_STALL = Duration.ofSeconds(3);

    private final List<Process> children = new ArrayList<>();

    @Test
    void noOverlapAndNoStall() throws IOException {
        try (RedisServer server = RedisServer.start()) {
            for (int i = 0; i < PROCESSES; i++) {
                Kind kind = i % 2 == 0 ? Kind.HOLDFAST : Kind.REDISSON;
                children.add(Children.start(SoakWorker.class, kind, server.uri(), "" + i, "" + SECONDS));
            }
            List<BufferedReader> told =
                    children.stream().map(Process::inputReader).toList();
            for (BufferedReader one : told) {
                assertThat(one.readLine()).isEqualTo("ready");
            }
            for (Process child : children) {
                OutputStream order = child.getOutputStream();
                order.write('\n');
                order.flush();
            }
            SoakHistory history = SoakHistory.of(told.stream()
                    .map(one -> CompletableFuture.supplyAsync(() -> one.lines().toList()))
                    .toList());
            System.out.println(PROCESSES + " processes, " + SECONDS + " s: " + history);
            history.check();
            assertThat(history.holdsOf(Kind.HOLDFAST)).isGreaterThan(SECONDS * 10L);
            assertThat(history.holdsOf(Kind.REDISSON)).isGreaterThan(SECONDS * 10L);
            assertThat(history.longestStall()).isLessThan(MOST_STALL);
        } finally {
            children.forEach(Process::destroyForcibly);
        }
    }
}
