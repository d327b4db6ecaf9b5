package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreProvider;
import io.holdfast.testkit.SimThread;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A store whose calls block their thread: users, renewals and deadlines must not feel it. */
@Tag("everywhere")
class BlockingStoreTest extends VirtualTime {

    private static final String CALL = "calls the store";

    private Duration slowness = Duration.ZERO;
    private boolean closedByInterrupted;
    private final Holdfast c =
            client("c", options -> options.provider(new Blocking()).lease(Duration.ofSeconds(3)));
    private final DistributedLock lock = c.lock("n");

    /** Puts a pause before each call, on the calling thread. */
    private final class Blocking implements StoreProvider {

        @Override
        public Set<String> schemes() {
            return Set.of("blocking");
        }

        @Override
        public LockStore open(StoreConfig config) {
            LockStore store = server.open(config);
            return (LockStore) Proxy.newProxyInstance(
                    LockStore.class.getClassLoader(), new Class<?>[] {LockStore.class}, (proxy, method, args) -> {
                        if (method.getReturnType() == CompletionStage.class) {
                            sim.log(CALL);
                            sim.sleep(slowness);
                        }
                        if (method.getReturnType() == Capabilities.class) {
                            return blocking(store.capabilities());
                        }
                        if (method.getName().equals("close")) {
                            closedByInterrupted = Thread.currentThread().isInterrupted();
                        }
                        try {
                            return method.invoke(store, args);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }
    }

    private static Capabilities blocking(Capabilities of) {
        return new Capabilities(
                true,
                of.signals(),
                of.minLease(),
                of.claimWindow(),
                of.fairPlaces(),
                of.renewalBatch(),
                of.marksReleases());
    }

    @AfterEach
    void nothingIsLeftAndNobodyElseCalled() {
        slowness = Duration.ZERO;
        assertNothingIsLeft();
        List<String> calls =
                sim.log().stream().filter(line -> line.endsWith(CALL)).toList();
        assertThat(calls)
                .isNotEmpty()
                .allMatch(line -> line.contains("holdfast-c-calls:") || line.contains("holdfast-c-renewal:"));
    }

    @Test
    void anInterruptedUserDoesNotWaitForTheStore() {
        slowness = Duration.ofMillis(800);
        SimThread user = start(
                "user", () -> assertThatThrownBy(lock::lockInterruptibly).isInstanceOf(InterruptedException.class));
        sim.runFor(Duration.ofMillis(100));
        user.interrupt();
        sim.runUntil(user::done, Duration.ofMillis(1));
        user.join();
    }

    /** The last requests of a store would fail. */
    @Test
    void noInterruptedThreadClosesTheStore() throws InterruptedException {
        lock.acquire().close();
        Thread.currentThread().interrupt();
        c.close();
        assertThat(Thread.interrupted()).as("interrupted after the close").isTrue();
        assertThat(closedByInterrupted).isFalse();
    }

    @Test
    void renewalsHaveAThreadOfTheirOwn() throws InterruptedException {
        Lease lease = lock.acquire();
        slowness = Duration.ofMillis(900);
        List<SimThread> crowd = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            DistributedLock other = c.lock("crowd" + i);
            crowd.add(start("crowd" + i, () -> {
                try {
                    if (other.tryLock()) {
                        other.unlock();
                    }
                } catch (RuntimeException e) {
                    sim.log("as slow as expected: " + e);
                }
            }));
        }
        sim.runFor(Duration.ofSeconds(20));
        assertThat(lease.isValid()).isTrue();
        crowd.forEach(SimThread::join);
        slowness = Duration.ZERO;
        lease.close();
    }

    @Test
    void deadlinesFireWhileTheStoreBlocks() throws InterruptedException {
        List<Duration> told = new ArrayList<>();
        Lease lease = lock.acquire().onLost(loss -> told.add(sim.elapsed()));
        Duration deadline = sim.elapsed().plus(lease.remainingLease());
        slowness = Duration.ofSeconds(30);
        sim.runFor(Duration.ofSeconds(4));
        assertThat(told).hasSize(1);
        assertThat(told.get(0)).isLessThanOrEqualTo(deadline.plusMillis(1));
        sim.runFor(Duration.ofMinutes(2));
        slowness = Duration.ZERO;
        assertThatThrownBy(lease::close).isNotNull();
    }
}
