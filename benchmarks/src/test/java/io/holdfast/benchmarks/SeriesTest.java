package io.holdfast.benchmarks;

import static io.holdfast.benchmarks.subject.SubjectKind.FLOOR;
import static io.holdfast.benchmarks.subject.SubjectKind.HOLDFAST;
import static io.holdfast.benchmarks.subject.SubjectKind.JDK;
import static io.holdfast.benchmarks.subject.SubjectKind.NO_OP;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.benchmarks.meter.ServerMeter;
import io.holdfast.embedded.redis.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A subject that fails ends its cell, and nothing else. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
@Tag("ci")
class SeriesTest {

    private static final long LONG = 60_000;

    private final RedisServer store = RedisServer.start();
    private final ServerMeter meter;

    SeriesTest() throws Exception {
        meter = ServerMeter.of(store.uri());
    }

    @TempDir
    Path folder;

    @AfterEach
    void stop() {
        meter.close();
        store.close();
    }

    @Test
    void anExceptionInARoundEndsTheCellOfItsSubject() throws Exception {
        // the floor has one owner for all threads, so that all but the first of them fail to unlock
        Cell cell = Cell.of("waiters", 1, FLOOR, HOLDFAST).withSize(10).doneOnce();

        Results results = series(100, Duration.ofMillis(LONG)).run(cell);

        assertThat(failures(results)).containsOnlyKeys("floor");
        assertThat(failures(results).get("floor")).contains("waiters-floor-one was not held");
        assertThat(results.rows()).extracting(Row::subject).containsExactly("holdfast");
    }

    @Test
    void anExceptionAtTheStartEndsTheCellOfItsSubject() throws Exception {
        Cell cell = Cell.of("fair", 2, NO_OP, JDK);

        Results results = series(100, Duration.ofMillis(LONG)).run(cell);

        assertThat(failures(results).get("no-op")).contains("UnsupportedOperationException: fair lock");
        assertThat(results.rows()).extracting(Row::subject).containsExactly("jdk");
    }

    @Test
    void aSubjectThatHangsEndsItsCellAtTheLimit() throws Exception {
        try (Holdfast other = Holdfast.connect(store.uri())) {
            other.lock("same-holdfast-one").lock();
            Cell cell = Cell.of("same", 3, HOLDFAST, JDK);

            Duration limit = Duration.ofSeconds(6);
            Results results = series(100, limit).run(cell);
            // a busy machine may need longer to start a process
            while (failures(results).toString().contains("the start did not end")) {
                limit = limit.multipliedBy(2);
                results = series(100, limit).run(cell);
            }

            assertThat(failures(results).get("holdfast"))
                    .contains("the round did not end within " + (limit.toMillis() + 100) + " ms; threads at {")
                    .containsPattern("Pair.java:\\d+=3");
            assertThat(results.rows()).extracting(Row::subject).containsExactly("jdk");
        }
    }

    @Test
    void aProcessThatDiesEndsItsCellThoughTheOthersLive() throws Exception {
        Cell cell = Cell.of("processes", 1, HOLDFAST).withProcesses(2).doneOnce();
        Series series = series(100, Duration.ofMillis(LONG));
        Thread killer = new Thread(SeriesTest::killOne);
        killer.start();

        Results results = series.run(cell);
        killer.join();

        Report report = new Report(Map.of(), "a store");
        assertThat(results.rows()).isEmpty();
        assertThat(report.add(cell, results)).contains("  holdfast  failed: the process ended with exit code 137");
        assertThat(report.toJson()).contains("the process ended with exit code 137");
        assertThat(report.isClean()).isFalse();
        assertThat(series.run(cell).failures()).as("of the next cell").isEmpty();
    }

    private static void killOne() {
        while (ProcessHandle.current()
                .children()
                .filter(SeriesTest::isWorker)
                .limit(1)
                .filter(ProcessHandle::destroyForcibly)
                .findAny()
                .isEmpty()) {
            Thread.onSpinWait();
        }
    }

    /** Returns false for a child that has yet to execute the worker's JVM: it still has the command line of this process. */
    private static boolean isWorker(ProcessHandle process) {
        ProcessHandle.Info info = process.info();
        return info.command().orElse("").endsWith("java")
                && !info.commandLine().equals(ProcessHandle.current().info().commandLine());
    }

    private static Map<String, String> failures(Results results) {
        return results.failures().stream().collect(Collectors.toMap(Failure::subject, Failure::text));
    }

    private Series series(long millis, Duration limit) {
        BenchOptions options = new BenchOptions(
                Set.of(),
                List.of(),
                1,
                millis,
                millis,
                true,
                limit,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
        return new Series(options, store.uri(), meter, folder);
    }
}
