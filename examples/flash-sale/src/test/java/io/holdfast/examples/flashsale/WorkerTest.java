package io.holdfast.examples.flashsale;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.embedded.redis.RedisServer;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class WorkerTest {

    private static final String SALE = "test";

    @Test
    void endsWithItsParent() throws Exception {
        try (RedisServer redis = RedisServer.start();
                Books books = Books.open(redis.uri(), SALE, 1_000_000, StrategyKind.NONE)) {
            Process worker = start(job(redis, Job.NEVER));
            assertThat(worker.inputReader().readLine()).isEqualTo(Worker.READY);
            worker.outputWriter().close();
            assertThat(worker.waitFor(20, TimeUnit.SECONDS)).isTrue();
            assertThat(worker.exitValue()).isNotZero().isNotEqualTo(Worker.HALTED);
            assertThat(books.left()).isEqualTo(1_000_000);
        }
    }

    @Test
    void sellsAllWhenItIsAlone() throws Exception {
        try (RedisServer redis = RedisServer.start();
                Books books = Books.open(redis.uri(), SALE, 30, StrategyKind.NONE)) {
            Process worker = start(job(redis, Job.NEVER));
            go(worker);
            assertThat(worker.waitFor(20, TimeUnit.SECONDS)).isTrue();
            assertThat(worker.exitValue()).isZero();
            assertThat(books.orders()).isEqualTo(30);
            assertThat(books.left()).isZero();
            assertThat(books.orderMillis()).hasSize(30).isSorted();
            assertThat(LongStream.of(books.tookMicros()).boxed()).hasSize(30).allMatch(micros -> micros >= 1_000);
        }
    }

    @Test
    void anAccidentIsToldByTheExitCode() throws Exception {
        try (RedisServer redis = RedisServer.start();
                Books books = Books.open(redis.uri(), SALE, 30, StrategyKind.NONE)) {
            Process worker = start(job(redis, 10));
            go(worker);
            assertThat(worker.waitFor(20, TimeUnit.SECONDS)).isTrue();
            assertThat(worker.exitValue()).isEqualTo(Worker.HALTED);
            assertThat(books.orders()).as("dead between check and write").isEqualTo(10);
            assertThat(books.left()).isEqualTo(20);
        }
    }

    @Tag("ci")
    @Test
    void theShareOfADeadProcessIsReturnedWhenItsLeaseEnds() throws Exception {
        try (RedisServer redis = RedisServer.start();
                Scene scene = new Scene(redis, StrategyKind.ALLOTMENT, 80)) {
            Process worker = start(job(redis, StrategyKind.ALLOTMENT, scene.keys.sale(), 3));
            go(worker);
            assertThat(worker.waitFor(20, TimeUnit.SECONDS)).isTrue();
            assertThat(worker.exitValue()).isEqualTo(Worker.HALTED);
            assertThat(scene.redis.get(scene.keys.stock()))
                    .as("the share is taken")
                    .isEqualTo("70");
            Strategy survivor = scene.process(1, Duration.ofSeconds(30));
            for (int i = 3; i < 80; i++) {
                assertThat(scene.sell(survivor)).isTrue();
            }
            assertThat(scene.sell(survivor)).isFalse();
            assertThat(scene.books.orders()).isEqualTo(80);
            assertThat(scene.books.left()).isZero();
        }
    }

    /** The hold is taken away while the seller waits for the answer of the stock. */
    @Tag("ci")
    @Test
    void aHoldThatIsLostInTheWarmUpIsNoFailure() throws Exception {
        try (RedisServer locks = RedisServer.start();
                RedisServer stock = RedisServer.start();
                Holdfast holdfast = Holdfast.connect(locks.uri());
                Books books = Books.open(stock.uri(), SALE, 30, StrategyKind.LOCK)) {
            DistributedLock lock = holdfast.lock("flash-sale/" + SALE + "/practice/0");
            Lease first = lock.acquire();
            Process worker = start(lockJob(locks, stock));
            await(() -> !holdfast.inspect(lock.name()).waiters().isEmpty());
            PausedWrites paused = PausedWrites.of(stock);
            try {
                first.close();
                await(() -> holdfast.inspect(lock.name())
                        .holder()
                        .filter(holder -> holder.client().pid().equals(OptionalLong.of(worker.pid())))
                        .isPresent());
                assertThat(lock.forceUnlock()).isTrue();
            } finally {
                paused.close();
            }
            go(worker);
            assertThat(worker.waitFor(20, TimeUnit.SECONDS)).isTrue();
            assertThat(worker.exitValue()).isZero();
            assertThat(books.orders()).isEqualTo(30);
            assertThat(books.left()).isZero();
        }
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - end).isNegative();
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    private static Job lockJob(RedisServer locks, RedisServer stock) {
        return new Job(
                StrategyKind.LOCK,
                locks.uri(),
                stock.uri(),
                SALE,
                0,
                2,
                Duration.ofMillis(1),
                Duration.ofSeconds(30),
                Job.NEVER,
                Job.NEVER);
    }

    private static Job job(RedisServer redis, long haltAfter) {
        return job(redis, StrategyKind.NONE, SALE, haltAfter);
    }

    private static Job job(RedisServer redis, StrategyKind strategy, String sale, long haltAfter) {
        return new Job(
                strategy,
                redis.uri(),
                redis.uri(),
                sale,
                0,
                1,
                Duration.ofMillis(1),
                Duration.ofSeconds(5),
                haltAfter,
                Job.NEVER);
    }

    private static Process start(Job job) throws IOException {
        Process worker = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Worker.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        send(worker, job.toLines());
        return worker;
    }

    private static void go(Process worker) throws IOException {
        assertThat(worker.inputReader().readLine()).isEqualTo(Worker.READY);
        send(worker, Worker.GO + "\n");
    }

    private static void send(Process worker, String text) throws IOException {
        Writer in = worker.outputWriter();
        in.write(text);
        in.flush();
    }
}
