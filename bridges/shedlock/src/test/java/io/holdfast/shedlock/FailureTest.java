package io.holdfast.shedlock;

import static io.holdfast.shedlock.LockProviderContract.HOUR;
import static io.holdfast.shedlock.LockProviderContract.MOMENT;
import static io.holdfast.shedlock.LockProviderContract.awaitFree;
import static io.holdfast.shedlock.LockProviderContract.job;
import static io.holdfast.shedlock.LockProviderContract.lockForAMoment;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.LeaseLostException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.embedded.redis.RedisServer;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockingTaskExecutor;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What happens when the store, the client or the process fails. */
@Timeout(180)
@Tag("ci")
class FailureTest {

    private static final LockConfiguration JOB = job("job", HOUR, Duration.ZERO);

    private RedisServer server;
    private Holdfast client;
    private HoldfastLockProvider provider;

    @BeforeEach
    void connect() {
        server = RedisServer.start();
        client = Holdfast.connect(server.uri());
        provider = new HoldfastLockProvider(client);
    }

    @AfterEach
    void close() {
        client.close();
        server.close();
    }

    @Test
    void aLockFailsIfTheStoreDoesNotAnswerAndLeavesNothing() throws Exception {
        server.pause();
        assertThatExceptionOfType(HoldfastException.class).isThrownBy(() -> provider.lock(JOB));
        server.resume();
        awaitFree(provider).unlock();
        assertThat(client.list("")).isEmpty();
    }

    @Test
    void aLockWhoseCheckFailsIsReleased() {
        StoreUnavailableException failure =
                new StoreUnavailableException("job", "no answer", new IOException("planted"));
        Holdfast failing = withFailureOfTheSecondLock("isLocked", failure);
        assertThatThrownBy(() -> new HoldfastLockProvider(failing).lock(JOB)).isSameAs(failure);
        assertThat(client.list("")).isEmpty();
    }

    /** A pause of the process can outlast a short remaining time. */
    @Test
    void anUnlockReleasesTheLockIfItsSecondLockHasEndedAlready() {
        LeaseLostException ended = new LeaseLostException("job", 1, "planted");
        Holdfast failing = withFailureOfTheSecondLock("runOnce", ended);
        new HoldfastLockProvider(failing)
                .lock(job("job", HOUR, MOMENT))
                .orElseThrow()
                .unlock();
        assertThat(client.lock("job").isLocked()).isFalse();
    }

    @Test
    void anExtensionThatIsNotConfirmedKeepsTheLock() {
        SimpleLock lock = provider.lock(JOB).orElseThrow();
        server.pause();
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> lock.extend(HOUR.multipliedBy(2), Duration.ZERO));
        server.resume();
        lock.unlock();
        assertThat(client.list("")).isEmpty();
    }

    @Test
    void anUnlockThatTheStoreDoesNotAnswerKeepsTheNameUntilLockAtLeastForHasPassed() throws Exception {
        Duration atLeast = Duration.ofSeconds(6);
        long start = System.nanoTime();
        SimpleLock lock = provider.lock(job("job", HOUR, atLeast)).orElseThrow();
        server.pause();
        lock.unlock();
        server.resume();
        SimpleLock next = awaitFree(provider);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(atLeast);
        next.unlock();
    }

    @Test
    void anUnlockReportsALostHold() {
        FencedSimpleLock lock = provider.tryLock(JOB).orElseThrow();
        assertThat(lock.isValid()).isTrue();
        client.lock("job").forceUnlock();
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::unlock);
        assertThat(lock.isValid()).isFalse();
        provider.lock(JOB).orElseThrow().unlock();
    }

    @Test
    void anUnlockReportsAHoldThatOutlastedLockAtMostFor() throws Exception {
        SimpleLock lock = lockForAMoment(provider::tryLock);
        Thread.sleep(MOMENT.toMillis() + 50);
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::unlock);
    }

    /** ShedLock unlocks in a finally block. */
    @Test
    void aLossDoesNotReplaceTheExceptionOfATask() {
        LockingTaskExecutor executor = new DefaultLockingTaskExecutor(provider);
        assertThatThrownBy(() -> executor.executeWithLock(
                        (LockingTaskExecutor.Task) () -> {
                            client.lock("job").forceUnlock();
                            throw new IllegalArgumentException("of the task");
                        },
                        JOB))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("of the task");
    }

    @Test
    void anUnlockAfterTheCloseOfTheClientReportsIt() {
        SimpleLock lock = provider.lock(JOB).orElseThrow();
        client.close();
        assertThatIllegalStateException().isThrownBy(lock::unlock).withMessageContaining("closed");
    }

    /** The name of a dead process is free after {@code lockAtLeastFor} if it was unlocked, else after {@code lockAtMostFor}. */
    @ParameterizedTest
    @CsvSource({"unlocked, PT1H, PT5S", "locked, PT5S, PT0S"})
    void theStoreKeepsTheNameOfADeadProcessForItsTime(String state, Duration atMost, Duration atLeast)
            throws Exception {
        Duration kept = state.equals("unlocked") ? atLeast : atMost;
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        DyingProcess.class.getName(),
                        server.uri(),
                        state,
                        atMost.toString(),
                        atLeast.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String line = process.inputReader().readLine();
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(line).matches("\\d+ \\d+");
        String[] told = line.split(" ", 2);
        long start = Long.parseLong(told[0]);
        long token = Long.parseLong(told[1]);

        FencedSimpleLock next = (FencedSimpleLock) awaitFree(provider);

        assertThat(Duration.ofMillis(System.currentTimeMillis() - start)).isGreaterThan(kept.minusMillis(100));
        assertThat(next.fencingToken()).isGreaterThan(token);
        next.unlock();
    }

    /** The client, except that a method of the lock that keeps a name until {@code lockAtLeastFor} has passed fails at its end. */
    private Holdfast withFailureOfTheSecondLock(String failing, RuntimeException failure) {
        return proxy(Holdfast.class, client, (method, result) -> {
            boolean second =
                    result instanceof DistributedLock lock && lock.name().endsWith(HoldfastLockProvider.KEPT_SUFFIX);
            return second
                    ? proxy(DistributedLock.class, (DistributedLock) result, failingAt(failing, failure))
                    : result;
        });
    }

    private static BiFunction<Method, Object, Object> failingAt(String failing, RuntimeException failure) {
        return (method, result) -> {
            if (method.getName().equals(failing)) {
                throw failure;
            }
            return result;
        };
    }

    private static <T> T proxy(Class<T> type, T delegate, BiFunction<Method, Object, Object> change) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (self, method, arguments) -> change.apply(method, method.invoke(delegate, arguments))));
    }
}
