package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockOptions;
import io.holdfast.LockReport;
import io.holdfast.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The engine on a database. */
@Tag("everywhere")
class H2LockTest {

    private final Databases database = Databases.memory();
    private final Holdfast client = connect();
    private final Holdfast other = connect();
    private final DistributedLock mine = client.lock("lock");
    private final DistributedLock theirs = other.lock("lock");

    private Holdfast connect() {
        return Holdfast.builder()
                .uri(database.url())
                .pollInterval(Duration.ofMillis(50))
                .build();
    }

    /** The first reply tells the database's time. */
    @BeforeEach
    void learnTheTime() {
        client.inspect("lock");
        for (DistributedLock lock : List.of(mine, theirs)) {
            lock.lock();
            lock.unlock();
        }
    }

    @AfterEach
    void close() throws Exception {
        client.close();
        other.close();
        Await.threadsGone("holdfast-");
        assertThat(database.column("SELECT name FROM holdfast_locks WHERE tenure IS NOT NULL"))
                .isEmpty();
        assertThat(database.sessions()).isZero();
        database.close();
    }

    @Test
    void anUncontendedPairReadsAndWritesTwiceAndReentryDoesNot() {
        database.run("SET QUERY_STATISTICS TRUE");
        mine.lock();
        mine.lock();
        mine.unlock();
        mine.unlock();
        assertThat(database.column("SELECT execution_count FROM information_schema.query_statistics"
                        + " WHERE sql_statement LIKE '%holdfast_locks%' AND sql_statement NOT LIKE '%query_stat%'"))
                .containsExactlyInAnyOrder(2, 2);
    }

    @Test
    void nothingLingersWhereNobodyCanBeToldInTime() {
        DistributedLock lingering = client.lock("lock", LockOptions.defaults().withLinger(Duration.ofSeconds(10)));
        lingering.lock();
        lingering.unlock();
        assertThat(theirs.tryLock()).isTrue();
        theirs.unlock();
    }

    @Test
    void oneExcludesTheOtherWhoGetsItAfterwards() throws Exception {
        mine.lock();
        long token = mine.fencingToken();
        assertThat(theirs.tryLock()).isFalse();
        CompletableFuture<Lease> waiting = theirs.async().acquire();
        LockReport report = other.inspect("lock");
        assertThat(report.holder().orElseThrow().client().id()).isEqualTo(client.clientId());
        assertThat(report.holder().orElseThrow().client().pid())
                .hasValue(ProcessHandle.current().pid());
        assertThat(other.list("lo")).extracting(LockReport::name).containsExactly("lock");
        assertThat(report.holder().orElseThrow().mode()).isEqualTo(LockReport.Mode.LOCK);
        assertThat(other.listSemaphores("")).isEmpty();
        assertThat(other.listLatches("")).isEmpty();
        assertThat(other.inspectSemaphore("lock")).isEmpty();
        assertThat(other.inspectLatch("lock")).isEmpty();
        assertThat(waiting).isNotDone();
        mine.unlock();
        try (Lease lease = Await.reply(waiting)) {
            assertThat(lease.fencingToken()).isGreaterThan(token);
            assertThat(mine.isLocked()).isTrue();
        }
        assertThat(mine.isLocked()).isFalse();
    }

    @Test
    void anInterruptedWaiterLeavesNothing() throws Exception {
        mine.lock();
        FutureTask<Void> task = new FutureTask<>(() -> {
            theirs.lockInterruptibly();
            return null;
        });
        Thread waiter = new Thread(task);
        waiter.start();
        Await.until("it waits", () -> other.stats().storeCalls() > 6);
        waiter.interrupt();
        assertThatThrownBy(task::get).hasCauseInstanceOf(InterruptedException.class);
        mine.unlock();
        assertThat(mine.tryLock()).isTrue();
        mine.unlock();
    }

    @Test
    void whoLosesItIsTold() {
        mine.lock();
        assertThat(theirs.forceUnlock()).isTrue();
        assertThat(theirs.tryLock()).isTrue();
        assertThatThrownBy(mine::unlock).isInstanceOf(LeaseLostException.class);
        theirs.unlock();
    }

    @Test
    void whatTheDatabaseForgotIsFreeAndItsHolderIsTold() {
        mine.lock();
        long token = mine.fencingToken();
        database.run("DROP TABLE holdfast_locks");
        assertThat(theirs.tryLock()).isTrue();
        assertThat(theirs.fencingToken()).isGreaterThan(token);
        assertThatThrownBy(mine::unlock).isInstanceOf(LeaseLostException.class);
        theirs.unlock();
    }
}
