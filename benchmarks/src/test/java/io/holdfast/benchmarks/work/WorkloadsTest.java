package io.holdfast.benchmarks.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.benchmarks.subject.SubjectKind;
import io.holdfast.embedded.redis.RedisServer;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("once")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class WorkloadsTest {

    private static final int THREADS = 4;
    private static final int SIZE = 20;

    private final RedisServer server = RedisServer.start();

    @TempDir
    Path folder;

    @AfterAll
    void stop() {
        server.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "distinct",
                "cached",
                "same",
                "fair",
                "read",
                "read-write",
                "reentrant",
                "semaphore",
                "segmented",
                "wake",
                "async",
                "setup",
                "hold",
                "waiters",
                "names"
            })
    void bothLibrariesDoEachCaseRoundAfterRound(String name) throws Exception {
        for (SubjectKind subject : new SubjectKind[] {SubjectKind.HOLDFAST, SubjectKind.REDISSON}) {
            try (Workload workload = Workloads.of(job(name, subject))) {
                for (int round = 0; round < 2; round++) {
                    Answer answer = Answer.of(workload.round(20).toLine());

                    assertThat(answer.operations())
                            .as("%s by %s", name, subject)
                            .isPositive();
                    assertThat(answer.nanos()).isPositive();
                    assertThat(answer.violations()).isZero();
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"same", "processes"})
    void whoeverIsInsideBesideAnotherIsCounted(String name) throws Exception {
        try (Workload workload = Workloads.of(job(name, SubjectKind.NO_OP))) {
            assertThat(workload.round(200).violations()).isPositive();
        }
    }

    @Test
    void otherProcessesAreSeenThroughTheBoard() throws Exception {
        Path file = folder.resolve("shared");
        Referee here = new Referee(Board.open(file));
        Referee there = new Referee(Board.open(file));

        here.among(1, there::alone);
        here.among(2, there::reading);

        assertThat(there.takeViolations()).isEqualTo(1);
        assertThat(here.takeViolations()).isZero();
    }

    @Test
    void aWriterAmongReadersIsCounted() throws Exception {
        Referee referee = new Referee(Board.open(folder.resolve("writer")));

        referee.among(8, referee::alone);
        referee.among(8, referee::reading);

        assertThat(referee.takeViolations()).isEqualTo(1);
    }

    @Test
    void theFloorHasNothingToDoWithWhoIsInside() throws Exception {
        try (Workload workload = Workloads.of(job("distinct", SubjectKind.FLOOR))) {
            assertThat(workload.round(50).operations()).isPositive();
        }
        try (Workload workload = Workloads.of(job("wake", SubjectKind.FLOOR))) {
            assertThat(workload.round(50).violations()).isZero();
        }
    }

    private Job job(String name, SubjectKind subject) {
        int threads = name.equals("wake") ? 1 : THREADS;
        return new Job(name, subject, server.uri(), threads, SIZE, 0, 1, folder.resolve(name + subject));
    }
}
