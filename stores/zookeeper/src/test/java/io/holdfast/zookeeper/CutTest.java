package io.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.StoreClient;
import io.holdfast.testkit.faults.Wire;
import io.holdfast.testservers.ZooKeeperServers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A client whose connection is cut for less than its session. */
class CutTest {

    private static final Duration SESSION = Duration.ofSeconds(6);

    /** As long as the session, which then keeps the hold. */
    private static final Duration LEASE = SESSION;

    private static final int ATTEMPTS = 5;

    private final Wire wire = new Wire(Servers.one().port(0));
    private final StoreClient client = new StoreClient(
            new ZooKeeperStoreProvider(),
            "zookeeper://127.0.0.1:" + wire.port() + "?session=" + SESSION.toSeconds() + "s&tick="
                    + ZooKeeperServers.TICK.toMillis() + "ms",
            config -> config);
    private final StoreClient other =
            new StoreClient(new ZooKeeperStoreProvider(), Servers.one().uri(), config -> config);

    @AfterEach
    void close() {
        client.close();
        other.close();
        wire.close();
    }

    private boolean received(Class<? extends Signal> kind) {
        return client.signals().stream().anyMatch(kind::isInstance);
    }

    /** Cuts the connection, and lets nothing through. */
    private void cut() {
        wire.blockRequests(true);
        wire.cut();
        Await.until("the cut is told", () -> received(Signal.Down.class));
    }

    private void mend() {
        wire.blockRequests(false);
        Await.until("the connection is back", () -> received(Signal.Up.class));
    }

    /** A watch reports no deletion that happened while the connection was cut. */
    @Test
    void beginsAnotherSessionIfItsNodeWasDeletedMeanwhile() throws Exception {
        client.granted("before-deletion", 1);
        cut();
        ZooKeeper handle = TestServer.client();
        byte[] self = handle.getData("/holdfast/n/" + client.id(), false, null);
        handle.delete("/holdfast/c/" + new String(self, StandardCharsets.UTF_8).split("\n", 2)[0], -1);
        handle.close();
        mend();
        Await.until("it acquires in another session", this::acquires);
        assertThat(other.acquire("after-deletion", 1)).isInstanceOf(Acquire.Refused.class);
        assertThat(client.renew("before-deletion", 1)).isInstanceOf(Renew.Lost.class);
    }

    private boolean acquires() {
        try {
            return client.acquire("after-deletion", 2) instanceof Acquire.Granted granted
                    && granted.valid().compareTo(Duration.ZERO) > 0;
        } catch (StoreException e) {
            return false;
        }
    }

    /** A watch repeats nothing that happened while the connection was cut. */
    @Test
    void aMessageThatWasSentMeanwhileArrives() {
        other.granted("message", 1);
        var unused = client.acquire(client.request("message", 1).queued(Acquire.Queueing.BARGING, 0));
        cut();
        assertThat(other.release("message", 1).held()).isTrue();
        mend();
        assertThat(client.signals().stream()
                        .filter(signal -> signal instanceof Signal.Freed || signal instanceof Signal.Gap)
                        .map(Signal::getClass)
                        .map(Class::getSimpleName))
                .as("the message, and then the gap")
                .containsExactly("Freed", "Gap");
    }

    /** The claim window runs since the assignment, of which the client learns later. */
    @Test
    void anAssignmentThatWasSentMeanwhileCountsFromTheCut() {
        OptionalLong left = OptionalLong.empty();
        // on a busy machine, the session may end before the connection is back, and nothing is assigned to its waiter
        for (int attempt = 0; left.isEmpty() && attempt < ATTEMPTS; attempt++) {
            left = leftOfTheAssignment("assigned-" + attempt);
        }
        assertThat(left).as("left of 2 s, in microseconds").isPresent();
        assertThat(left.getAsLong()).isLessThan(800_000);
    }

    private OptionalLong leftOfTheAssignment(String name) {
        client.signals().clear();
        other.granted(name, 1);
        var unused = client.acquire(client.request(name, 1).queued(Acquire.Queueing.FAIR, 0));
        cut();
        long cut = System.nanoTime();
        assertThat(other.release(name, 1).held()).isTrue();
        passUntil(cut, Duration.ofMillis(1_200));
        mend();
        // an upper bound of the clock of the client
        long now = client.store().clock(name).notAfter(System.nanoTime(), Duration.ZERO);
        return client.signals().stream()
                .filter(Signal.Assigned.class::isInstance)
                .map(Signal.Assigned.class::cast)
                .mapToLong(assigned -> assigned.expiresMicros() - now)
                .findFirst();
    }

    @Test
    void aHoldSurvives() {
        client.granted("survives", 1);
        cut();
        mend();
        assertThat(client.release("survives", 1).held()).isTrue();
    }

    /** The end of the session is scheduled at the cut, and must not come if the connection is back before. */
    @Test
    void aHoldSurvivesTheEndOfASessionThatWasNotMended() {
        client.granted("kept", 1);
        long start = System.nanoTime();
        cut();
        mend();
        passUntil(start, SESSION.plus(ZooKeeperServers.TICK).plusMillis(500));
        assertThat(client.release("kept", 1).held()).isTrue();
    }

    /** The answer to a write is lost. Later answers prove that no copy of it is applied any more. */
    @Test
    void aWriteWithoutAnAnswerIsFoundAgain() {
        var first = client.granted("lost", 1);
        client.release("lost", 1);
        wire.blockAnswers(true);
        CompletionStage<Acquire.Reply> lost = client.start("lost", 2);
        Await.until(
                "it is applied",
                () -> Await.reply(other.store().inspect("lost")).holder().isPresent());
        wire.cut();
        wire.blockAnswers(false);
        Await.until("it fails", () -> lost.toCompletableFuture().isDone());
        assertThat(effect(lost)).isEqualTo(Effect.UNKNOWN);
        Await.until("the connection is back", () -> received(Signal.Up.class));
        Acquire.Granted again = client.granted("lost", 2);
        assertThat(again.tokens().first()).isGreaterThan(first.tokens().last());
        assertThat(other.refused("lost", 1).holder()).contains(client.tenure(2).toString());
        assertThat(client.release("lost", 2).held()).isTrue();
    }

    /** The session would keep the hold for ever, because the connection is back before it ends. */
    @Test
    void aLeaseThatEndsMeanwhileIsEndedAfterIt() {
        long start = System.nanoTime();
        client.acquire(client.request("over", 1).withLease(LEASE));
        passUntil(start, LEASE.minusMillis(600));
        cut();
        passUntil(start, LEASE.plusMillis(300));
        mend();
        Await.until("it is free", () -> other.acquire("over", 1) instanceof Acquire.Granted);
    }

    @Test
    void aGrantWithoutAnAnswerEndsWithItsLeaseIfNobodyReleasesIt() {
        client.granted("orphan", 2);
        client.release("orphan", 2);
        wire.blockAnswers(true);
        CompletionStage<Acquire.Reply> lost =
                client.store().acquire(client.request("orphan", 1).withLease(LEASE));
        Await.until(
                "it is applied",
                () -> Await.reply(other.store().inspect("orphan")).holder().isPresent());
        wire.cut();
        wire.blockAnswers(false);
        Await.until("it fails", () -> lost.toCompletableFuture().isDone());
        Await.until("it is free", () -> other.acquire("orphan", 1) instanceof Acquire.Granted);
    }

    /** A release that fails must not leave a hold that the session keeps. */
    @Test
    void aHoldWhoseReleaseFailedEndsWithItsLease() {
        client.acquire(client.request("unreleased", 1).withLease(LEASE));
        cut();
        assertThatExceptionOfType(StoreException.class).isThrownBy(() -> client.release("unreleased", 1));
        mend();
        Await.until("it is free", () -> other.acquire("unreleased", 1) instanceof Acquire.Granted);
    }

    private static void passUntil(long start, Duration time) {
        Await.until(time + " have passed", () -> System.nanoTime() - start > time.toNanos());
    }

    private static Effect effect(CompletionStage<?> failed) {
        try {
            throw new AssertionError("" + failed.toCompletableFuture().join());
        } catch (CompletionException e) {
            return ((StoreException) Objects.requireNonNull(e.getCause())).effect();
        }
    }
}
