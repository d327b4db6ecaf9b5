package io.holdfast.testkit.contract;

import io.holdfast.LockReport;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** The scene for the test of one rule: a unique lock name, and clients. */
final class Scene implements AutoCloseable {

    /** A time that is longer than any rule takes. */
    static final Duration LONG = Duration.ofSeconds(30);

    /** It outlasts a pause of a busy machine. */
    static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(20);

    private static final Duration SHORTEST = Duration.ofMillis(200);

    private static final Duration NO_LEASE = Duration.ofDays(1);

    private static final Duration PAUSE = Duration.ofMillis(10);

    private final StoreHarness harness;
    private final List<TestClient> clients = new ArrayList<>();
    private String id = "";
    private Duration shortest = SHORTEST;
    private Duration shortLease = NO_LEASE;
    private long shortLeaseSince;
    private Duration claimWindow = NO_LEASE;
    private long claimWindowSince;
    private long lastStep;
    private boolean tooSlow;

    Scene(StoreHarness harness) {
        this.harness = harness;
        begin();
    }

    private void begin() {
        id = Long.toHexString(harness.platform().randomLong());
        shortLease = NO_LEASE;
        claimWindow = NO_LEASE;
        tooSlow = false;
    }

    /**
     * Runs the test of a rule. If it fails, and its steps took longer than the short lease or the claim window in which they have
     * to happen, nothing was tested. The test then runs again, a few times at most, with other names and twice that lease. The wait
     * for something that does not happen is no step, so a lost message is a failure.
     */
    void run(Rule.Check check) {
        while (true) {
            try {
                check.run(this);
                return;
            } catch (AssertionError | RuntimeException e) {
                if (!(tooSlow || isLeaseOver()) || shortest.compareTo(COMMAND_TIMEOUT) > 0) {
                    throw e;
                }
            }
            close();
            clients.clear();
            shortest = shortest.multipliedBy(2);
            System.out.println(Thread.currentThread().getName() + ": again, with a lease of " + shortest);
            begin();
        }
    }

    /** Notes that a time in which steps have to happen is over. If the test fails, it runs again. */
    void tookTooLong() {
        tooSlow = true;
    }

    private boolean isLeaseOver() {
        return lastStep - shortLeaseSince > shortLease.toNanos() || lastStep - claimWindowSince > claimWindow.toNanos();
    }

    /**
     * Notes that the name may be assigned from now on. The steps that need the assignment come next. Until a lease has passed, the
     * window counts from the first assignment, because a second release may assign nothing.
     */
    void mayAssign(Capabilities capabilities) {
        tooSlow |= isLeaseOver();
        lastStep = nanoTime();
        claimWindowSince = claimWindow.equals(NO_LEASE) ? lastStep : claimWindowSince;
        claimWindow = capabilities.claimWindow();
    }

    /** Returns the name under test. */
    String name() {
        return name("");
    }

    String name(String suffix) {
        return "contract-" + id + suffix;
    }

    /** Returns a name that can be acquired together with the name under test. */
    String beside(String suffix) {
        return harness.beside(name(), suffix);
    }

    /** Returns another client, which connects at once. */
    TestClient client() {
        return client("");
    }

    TestClient client(String keyPrefix) {
        TestClient client = new TestClient(this, "client" + clients.size() + "-" + id, keyPrefix);
        clients.add(client);
        return client;
    }

    LockStore open(TestClient client, String clientId, String keyPrefix) {
        LockReport.Client identity =
                new LockReport.Client(clientId, Optional.of("contract"), Optional.of("here"), OptionalLong.of(1));
        return harness.open(StoreConfig.of(harness.uri(), identity, harness.platform())
                .withTimeouts(COMMAND_TIMEOUT, LONG)
                .withKeyPrefix(keyPrefix)
                .withClient(identity, client::receive, client::describe));
    }

    long nanoTime() {
        return harness.platform().nanoTime();
    }

    /** Returns a lease that is short enough to wait for its end. The steps that need it come next, before {@link #passLease}. */
    Duration shortLease(Capabilities capabilities) {
        Duration least = capabilities.minLease();
        shortLease = least.compareTo(shortest) > 0 ? least : shortest;
        shortLeaseSince = nanoTime();
        lastStep = shortLeaseSince;
        return shortLease;
    }

    void pass(Duration time) {
        harness.pass(time);
    }

    /** Lets a lease of this length end. Stores may take a little longer. */
    void passLease(Duration lease) {
        tooSlow |= isLeaseOver();
        shortLease = NO_LEASE;
        claimWindow = NO_LEASE;
        harness.pass(lease.plus(lease.dividedBy(2)));
    }

    void passClaimWindow() {
        passLease(clients.get(0).capabilities().claimWindow());
    }

    /** Lets enough time pass for signals that were sent to arrive. */
    void passSignals() {
        boolean looks = clients.get(0).capabilities().signals() == Capabilities.Signals.LOOKED;
        harness.pass(Duration.ofMillis(looks ? 250 : 100));
    }

    boolean becomes(BooleanSupplier condition) {
        harness.passUntil(condition, COMMAND_TIMEOUT);
        boolean happened = condition.getAsBoolean();
        if (happened) {
            lastStep = nanoTime();
        }
        return happened;
    }

    /** Repeats a request until its result is wanted, or until that takes too long. Returns the last result. */
    <T> T eventually(Supplier<T> request, Predicate<T> wanted) {
        long end = nanoTime() + COMMAND_TIMEOUT.toNanos();
        T result = request.get();
        while (!wanted.test(result) && nanoTime() - end < 0) {
            pass(PAUSE);
            result = request.get();
        }
        return result;
    }

    void wipe() {
        harness.wipe();
    }

    /** Keeps a copy of the data, and returns an action that puts it back. */
    Runnable backup() {
        return harness.backup().orElseThrow();
    }

    boolean tokensFollowClock() {
        return harness.tokensFollowClock();
    }

    <T> T await(CompletionStage<T> stage) {
        CompletableFuture<T> future = stage.toCompletableFuture();
        if (!becomes(future::isDone)) {
            throw new AssertionError("no answer in " + COMMAND_TIMEOUT);
        }
        return future.join();
    }

    /** Returns the failure of the stage. Fails if the stage does not fail. */
    Throwable awaitFailure(CompletionStage<?> stage) {
        try {
            Object value = await(stage);
            throw new AssertionError("should have failed, but gave " + value);
        } catch (CompletionException e) {
            return e.getCause() == null ? e : e.getCause();
        }
    }

    @Override
    public void close() {
        clients.forEach(TestClient::close);
    }
}
