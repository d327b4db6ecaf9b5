package io.holdfast.benchmarks.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.benchmarks.subject.Subject;
import io.holdfast.benchmarks.subject.SubjectKind;
import io.holdfast.embedded.redis.RedisServer;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("ci")
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
                "multi",
                "wake",
                "wake-fair",
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
                    Answer answer = round(workload, 20, Answer::operations);

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
            assertThat(round(workload, 200, Answer::violations).violations()).isPositive();
        }
    }

    /** A round that has counted something. On a busy machine, its threads may have had no time to. */
    private static Answer round(Workload workload, long millis, ToLongFunction<Answer> counted) throws Exception {
        Answer answer = Answer.of(workload.round(millis).toLine());
        for (int again = 0; again < 20 && counted.applyAsLong(answer) == 0; again++) {
            answer = Answer.of(workload.round(millis).toLine());
        }
        return answer;
    }

    @Test
    void aWaiterThatDiesEndsItsRound() throws Exception {
        Board board = Board.open(folder.resolve("dying"));
        Job job = job("waiters", SubjectKind.NO_OP);
        Lock real = new ReentrantLock();
        Subject dying = subjectWith(real, new IllegalStateException("the connection is lost"));
        try (Workload workload = new Waiters(job, dying, board, new Referee(board))) {
            assertThatThrownBy(() -> workload.round(20)).hasRootCauseMessage("the connection is lost");
        }
    }

    @Test
    void aThreadThatDiesEndsItsRoundThoughAnotherWaits() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        Board board = Board.open(folder.resolve("waiting"));
        try (Workload workload = new Turns(() -> {}, 2, new Referee(board), thread -> () -> {
            if (thread == 1) {
                throw new IllegalStateException("the connection is lost");
            }
            awaitUninterruptibly(never);
        })) {
            assertThatThrownBy(() -> workload.round(20)).hasRootCauseMessage("the connection is lost");
        } finally {
            never.countDown();
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A subject whose lock the second thread cannot have. */
    private static Subject subjectWith(Lock real, @Nullable RuntimeException failure) {
        Thread first = Thread.currentThread();
        Lock lock = (Lock) Proxy.newProxyInstance(
                Lock.class.getClassLoader(), new Class<?>[] {Lock.class}, (proxy, method, arguments) -> {
                    if (failure != null && Thread.currentThread() != first) {
                        throw failure;
                    }
                    return method.invoke(real, arguments);
                });
        return new Subject() {
            @Override
            public Lock lock(String name) {
                return lock;
            }

            @Override
            public void close() {}
        };
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
        try (Workload workload = Workloads.of(job("multi", SubjectKind.FLOOR))) {
            assertThat(workload.round(50).operations()).isPositive();
        }
        try (Workload workload = Workloads.of(job("wake", SubjectKind.FLOOR))) {
            assertThat(workload.round(50).violations()).isZero();
        }
    }

    private Job job(String name, SubjectKind subject) {
        int threads = name.equals("wake") ? 1 : THREADS;
        return new Job(
                name,
                subject,
                server.uri(),
                threads,
                SIZE,
                0,
                1,
                folder.resolve(name + subject),
                Duration.ofMinutes(1));
    }
}
