package io.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.KeyValue;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.StoreClient;
import io.holdfast.testkit.faults.Wire;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A client whose connection is cut for less than its session. It has two paths to the server. */
@Tag("etcd")
class CutTest {

    private static final Duration SESSION = Duration.ofSeconds(20);

    private final List<Wire> wires =
            Stream.generate(() -> new Wire(Servers.one().port(0))).limit(2).toList();
    private final StoreClient client = new StoreClient(
            new EtcdStoreProvider(),
            "etcd://127.0.0.1:" + wires.get(0).port() + ",127.0.0.1:"
                    + wires.get(1).port() + "?session=" + SESSION.toSeconds() + "s",
            config -> config);
    private final StoreClient other =
            new StoreClient(new EtcdStoreProvider(), Servers.one().uri(), config -> config);

    @AfterEach
    void close() {
        client.close();
        other.close();
        wires.forEach(Wire::close);
    }

    private boolean received(Class<? extends Signal> kind) {
        return client.signals().stream().anyMatch(kind::isInstance);
    }

    /** The path that the client uses. */
    private Wire used() {
        return wires.get(0).connections() > 0 ? wires.get(0) : wires.get(1);
    }

    private void cut() {
        wires.forEach(wire -> wire.blockRequests(true));
        wires.forEach(Wire::cut);
        Await.until("the cut is told", () -> received(Signal.Down.class));
    }

    private void mend() {
        wires.forEach(wire -> wire.blockRequests(false));
        Await.until("the connection is back", () -> received(Signal.Up.class));
    }

    private ByteString sessionKey() {
        KeyValue self = Servers.one().keys("holdfast/n/" + client.id()).get(0);
        return ByteString.copyFromUtf8(
                "holdfast/s/" + self.getValue().toStringUtf8().split("\n", 2)[0] + "/c");
    }

    private boolean acquires(String name, long number) {
        try {
            return client.acquire(name, number) instanceof Acquire.Granted granted
                    && granted.valid().compareTo(Duration.ZERO) > 0;
        } catch (StoreException e) {
            return false;
        }
    }

    /** Others may take its locks from then on. */
    @Test
    void beginsAnotherSessionIfItsKeyWasDeletedMeanwhile() {
        client.granted("deleted-taken", 1);
        client.granted("deleted-free", 1);
        cut();
        Servers.one().delete(sessionKey());
        other.granted("deleted-taken", 1);
        mend();
        assertThat(client.renew("deleted-free", 1)).isInstanceOf(Renew.Lost.class);
        assertThat(client.renew("deleted-taken", 1)).isInstanceOf(Renew.Lost.class);
        assertThat(received(Signal.Gap.class)).as("the loss is told").isTrue();
        Await.until("it acquires in another session", () -> acquires("deleted-free", 2));
        assertThat(other.acquire("deleted-free", 1)).isInstanceOf(Acquire.Refused.class);
        assertThat(client.refused("deleted-taken", 2).holder())
                .contains(other.tenure(1).toString());
    }

    /** The watch begins again where it was cut off. */
    @Test
    void aMessageThatWasSentMeanwhileArrives() {
        other.granted("message", 1);
        var unused = client.acquire(client.request("message", 1).queued(Acquire.Queueing.BARGING, 0));
        cut();
        assertThat(other.release("message", 1).held()).isTrue();
        mend();
        Await.until("the message", () -> received(Signal.Freed.class));
        assertThat(received(Signal.Gap.class)).as("a gap").isFalse();
    }

    /** Messages are in the history that the servers may forget. */
    @Test
    void aMessageThatWasForgottenIsAGap() {
        other.granted("compacted", 1);
        var unused = client.acquire(client.request("compacted", 1).queued(Acquire.Queueing.BARGING, 0));
        cut();
        assertThat(other.release("compacted", 1).held()).isTrue();
        other.granted("compacted", 2);
        Servers.one().compact();
        mend();
        Await.until("the gap", () -> received(Signal.Gap.class));
        assertThat(received(Signal.Freed.class)).isFalse();
        Await.reply(client.store().confirmSignals());
    }

    /** The claim window runs since the assignment, of which the client learns later. */
    @Test
    void anAssignmentThatWasSentMeanwhileCountsFromTheLastAnswer() throws InterruptedException {
        other.granted("assigned", 1);
        var unused = client.acquire(client.request("assigned", 1).queued(Acquire.Queueing.FAIR, 0));
        cut();
        assertThat(other.release("assigned", 1).held()).isTrue();
        Thread.sleep(1_200);
        mend();
        Await.until("the message", () -> received(Signal.Assigned.class));
        Signal.Assigned assigned = client.signals().stream()
                .filter(Signal.Assigned.class::isInstance)
                .map(Signal.Assigned.class::cast)
                .findFirst()
                .orElseThrow();
        // an upper bound of the clock of the client
        long now = client.store().clock("assigned").notAfter(System.nanoTime(), Duration.ZERO);
        assertThat(assigned.expiresMicros() - now)
                .as("left of 2 s, in microseconds")
                .isLessThan(800_000);
    }

    @Test
    void aHoldSurvives() {
        client.granted("survives", 1);
        cut();
        mend();
        assertThat(client.release("survives", 1).held()).isTrue();
    }

    /** The client has another path, and need not wait for the first one. */
    @Test
    void aSilentServerIsLeftForTheNextOne() {
        client.granted("silent", 1);
        used().blockAnswers(true);
        assertThat(catchThrowableOfType(StoreException.class, () -> client.release("silent", 1))
                        .effect())
                .isEqualTo(Effect.UNKNOWN);
        assertThat(client.release("silent", 1).held())
                .as("it was applied before")
                .isFalse();
        client.granted("silent", 2);
    }

    @Test
    void aWriteWithoutAnAnswerIsFoundAgain() {
        Acquire.Granted first = client.granted("lost", 1);
        client.release("lost", 1);
        used().blockAnswers(true);
        assertThat(catchThrowableOfType(StoreException.class, () -> client.acquire("lost", 2))
                        .effect())
                .isEqualTo(Effect.UNKNOWN);
        assertThat(other.refused("lost", 1).holder()).contains(client.tenure(2).toString());
        Acquire.Granted again = client.granted("lost", 2);
        assertThat(again.tokens().first()).isGreaterThan(first.tokens().last());
        assertThat(client.release("lost", 2).held()).isTrue();
    }

    /** Nothing orders what is sent on two connections. */
    @Test
    void aRequestThatIsStuckIsNotAppliedAfterALaterAnswer() throws InterruptedException {
        client.granted("stuck", 1);
        client.release("stuck", 1);
        Wire first = used();
        first.blockRequests(true);
        assertThat(catchThrowableOfType(StoreException.class, () -> client.acquire("stuck", 2))
                        .effect())
                .isEqualTo(Effect.UNKNOWN);
        assertThat(Await.reply(client.store().inspect("stuck")).holder()).isEmpty();
        first.unblockOnePiece();
        Thread.sleep(500);
        assertThat(Await.reply(other.store().inspect("stuck")).holder()).isEmpty();
        other.granted("stuck", 1);
    }
}
