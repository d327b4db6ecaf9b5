package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.holdfast.DistributedLatch;
import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Errors say of which kind the thing is that they are about. */
class KindTextsTest extends VirtualTime {

    private static final Duration SHORT = Duration.ofSeconds(1);
    private static final Duration TOO_SHORT = Duration.ofMillis(1);

    private final Holdfast c = client("c");

    /** Takes a lease for a time, or for as long as it is renewed. */
    private interface Taker {
        Lease take(boolean forShort) throws InterruptedException;
    }

    private static Taker of(DistributedLock lock) {
        return forShort -> forShort ? lock.tryAcquire(Duration.ZERO, SHORT).orElseThrow() : lock.acquire();
    }

    private Taker of(DistributedSemaphore semaphore) {
        return forShort -> {
            semaphore.setPermits(3);
            return forShort ? semaphore.tryAcquire(1, Duration.ZERO, SHORT).orElseThrow() : semaphore.acquire();
        };
    }

    private final Map<String, Taker> kinds = new LinkedHashMap<>();

    {
        DistributedReadWriteLock readWrite = c.readWriteLock("n");
        kinds.put("lock", of(c.lock("n")));
        kinds.put("lock, fair", of(c.fairLock("n")));
        kinds.put("read/write lock", of(readWrite.readLock()));
        kinds.put("read/write lock, to write", of(readWrite.writeLock()));
        kinds.put("semaphore", of(c.semaphore("n")));
        kinds.put("semaphore, fair", of(c.fairSemaphore("n")));
    }

    private static String text(ThrowingCallable call) {
        return catchThrowable(call).getMessage();
    }

    /** What is said of a lease at each end it may have. */
    private List<String> textsOfLeases(Taker taker) throws InterruptedException {
        List<String> texts = new ArrayList<>();
        Lease closed = taker.take(false);
        closed.close();
        texts.add(text(() -> closed.ensureValid(SHORT)));
        Lease lost = taker.take(true);
        texts.add(text(() -> lost.extend(TOO_SHORT)));
        texts.add(text(() -> lost.ensureValid(SHORT)));
        sim.runFor(SHORT.multipliedBy(2));
        texts.add(text(lost::close));
        Lease renewed = taker.take(false);
        texts.add(text(() -> renewed.extend(SHORT)));
        texts.add(renewed.toString().replaceFirst("(lease|permit) of ", ""));
        faults(c).outage(true);
        sim.runFor(SHORT);
        texts.add(text(() -> renewed.ensureValid(Duration.ofMillis(29_650))));
        renewed.close();
        texts.add(text(() -> taker.take(true)));
        faults(c).outage(false);
        sim.runUntil(() -> c.stats().unsettled() == 0, LONG);
        Lease open = taker.take(false);
        c.close();
        texts.add(text(() -> open.ensureValid(SHORT)));
        texts.add(text(() -> taker.take(false)));
        return texts;
    }

    private static void assertNoLock(String text) {
        assertThat(text).doesNotContainPattern("\\block");
    }

    @TestFactory
    Stream<DynamicTest> eachErrorOfALeaseBeginsWithTheKindAndTheName() {
        return kinds.keySet().stream()
                .map(kind -> dynamicTest(kind, () -> {
                    KindTextsTest alone = new KindTextsTest();
                    List<String> texts = alone.textsOfLeases(alone.kinds.get(kind));
                    alone.everythingEnds();
                    assertThat(texts)
                            .doesNotContainNull()
                            .allMatch(text -> text.startsWith(kind.split(",", -1)[0] + " 'n'"));
                    if (kind.startsWith("semaphore")) {
                        assertThat(texts).allSatisfy(KindTextsTest::assertNoLock);
                    }
                }));
    }

    @TestFactory
    Stream<DynamicTest> errorsOfSemaphoresAndLatchesDoNotSpeakOfLocks() {
        DistributedSemaphore semaphore = c.semaphore("n");
        DistributedLatch latch = c.countDownLatch("n");
        Map<String, ThrowingCallable> calls = new LinkedHashMap<>();
        calls.put("semaphore without a name", () -> c.semaphore(null));
        calls.put("semaphore with an empty name", () -> c.semaphore(""));
        calls.put("semaphore with a reserved name", () -> c.semaphore("hf:{x"));
        calls.put("semaphore with half a character", () -> c.semaphore("\ud800"));
        calls.put("semaphore without permits", semaphore::acquire);
        calls.put("semaphore of 0 permits", () -> semaphore.trySetPermits(0));
        calls.put("permit with a short lease", () -> semaphore.tryAcquire(1, Duration.ZERO, TOO_SHORT));
        calls.put("permit that is not held", () -> semaphore.release(c.clientId() + ":1"));
        calls.put("id of no permit", () -> semaphore.release("x"));
        calls.put("latch without a name", () -> c.countDownLatch(null));
        calls.put("latch with an empty name", () -> c.countDownLatch(""));
        calls.put("latch that is not set", () -> latch.await(SHORT));
        Stream<DynamicTest> open = calls.entrySet().stream()
                .map(call -> dynamicTest(call.getKey(), () -> assertNoLock(text(call.getValue()))));
        Stream<DynamicTest> closed = Stream.of(dynamicTest("closed", () -> {
            c.close();
            assertNoLock(text(() -> c.semaphore("n")));
            assertNoLock(text(() -> c.countDownLatch("n")));
            assertNoLock(text(semaphore::permits));
            assertNoLock(text(semaphore::acquire));
            assertNoLock(text(latch::count));
        }));
        return Stream.concat(open, closed);
    }
}
