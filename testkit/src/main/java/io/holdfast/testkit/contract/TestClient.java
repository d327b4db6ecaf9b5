package io.holdfast.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.holdfast.LockReport;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Share;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreConfig.HoldDescription;
import io.holdfast.spi.TenureId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** A client of the store under test, which sends the requests of a rule, and keeps the signals. */
final class TestClient {

    private final Scene scene;
    private final String id;
    private final LockStore store;
    private final List<Signal> signals = new CopyOnWriteArrayList<>();
    private final AtomicLong tenures = new AtomicLong();
    private volatile Optional<HoldDescription> hold = Optional.empty();

    TestClient(Scene scene, String id, String keyPrefix) {
        this.scene = scene;
        this.id = id;
        store = scene.open(this, id, keyPrefix);
    }

    LockStore store() {
        return store;
    }

    Capabilities capabilities() {
        return store.capabilities();
    }

    String id() {
        return id;
    }

    TenureId tenure() {
        return new TenureId(id, tenures.incrementAndGet());
    }

    void receive(Signal signal) {
        signals.add(signal);
    }

    /** Sets the description that the client returns when the store asks about its hold. */
    void tells(HoldDescription description) {
        hold = Optional.of(description);
    }

    Optional<HoldDescription> describe(String name) {
        return name.equals(scene.name()) ? hold : Optional.empty();
    }

    /** Returns a request for the name under test that is not late. */
    Acquire request(TenureId tenure) {
        return request(tenure, scene.name());
    }

    Acquire request(TenureId tenure, String name) {
        return Acquire.of(name, tenure, Scene.LONG).withNotAfter(notAfter(name));
    }

    /**
     * Returns the time until which a request that is sent now may be applied. If the server's time is not known, asks for it.
     */
    long notAfter(String name) {
        if (store.clock(name).notAfter(scene.nanoTime(), Scene.COMMAND_TIMEOUT) == 0) {
            TenureId unused = tenure();
            if (acquire(Acquire.of(name, unused, Scene.LONG).withNotAfter(0)) instanceof Acquire.Granted) {
                release(Release.of(name, unused));
            }
        }
        return store.clock(name).notAfter(scene.nanoTime(), Scene.COMMAND_TIMEOUT);
    }

    /** Sends a request, and learns the server's time from the reply, as a client has to. */
    Acquire.Reply acquire(Acquire request) {
        long sent = scene.nanoTime();
        Acquire.Reply reply = scene.await(store.acquire(request));
        store.clock(request.name()).observe(sent, reply.serverMicros());
        return reply;
    }

    Acquire.Granted granted(TenureId tenure) {
        return granted(request(tenure));
    }

    Acquire.Granted granted(TenureId tenure, Duration lease) {
        return granted(request(tenure).withLease(lease));
    }

    Acquire.Granted granted(Acquire request) {
        return assertInstanceOf(Acquire.Granted.class, acquire(request));
    }

    Acquire.Refused refused(TenureId tenure) {
        return refused(request(tenure));
    }

    Acquire.Refused refused(Acquire request) {
        return assertInstanceOf(Acquire.Refused.class, acquire(request));
    }

    /** Takes a position in the queue. */
    Acquire.Refused enqueued(TenureId tenure) {
        return enqueued(tenure, 0);
    }

    Acquire.Refused enqueued(TenureId tenure, long arrival) {
        return refused(request(tenure).queued(Acquire.Queueing.BARGING, arrival));
    }

    /** Takes a fair position. */
    Acquire.Refused inLine(TenureId tenure) {
        return refused(fair(tenure));
    }

    /** Returns a request for the name or a fair position. */
    Acquire fair(TenureId tenure) {
        return request(tenure).queued(Acquire.Queueing.FAIR, 0);
    }

    /** Sends a request with a time that has passed. */
    Acquire.Late refusedAsLate(TenureId tenure, long notAfter) {
        Acquire plain = Acquire.of(scene.name(), tenure, Scene.LONG)
                .queued(Acquire.Queueing.BARGING, 0)
                .withNotAfter(notAfter);
        return assertInstanceOf(Acquire.Late.class, acquire(plain));
    }

    Renew.Reply renew(TenureId tenure, Duration lease) {
        return renew(new Renew(scene.name(), tenure, lease, 0));
    }

    Renew.Reply renew(Renew request) {
        List<Renew.Reply> replies = scene.await(store.renew(List.of(request)));
        return replies.get(0);
    }

    Renew.Renewed renewed(TenureId tenure, Duration lease) {
        return assertInstanceOf(Renew.Renewed.class, renew(tenure, lease));
    }

    void lost(TenureId tenure) {
        assertInstanceOf(Renew.Lost.class, renew(tenure, Scene.LONG));
    }

    Release.Reply release(TenureId tenure) {
        return release(Release.of(scene.name(), tenure));
    }

    Release.Reply handOver(TenureId tenure) {
        return release(Release.of(scene.name(), tenure).withYield(true));
    }

    Release.Reply release(Release request) {
        scene.mayAssign(capabilities());
        return scene.await(store.release(request));
    }

    LockReport inspect() {
        return scene.await(store.inspect(scene.name()));
    }

    /** Returns a report that knows its clients. They write who they are beside their first request, so it is asked for again. */
    @CanIgnoreReturnValue
    LockReport inspectClients() {
        return scene.eventually(this::inspect, TestClient::knowsItsClients);
    }

    static boolean knowsItsClients(LockReport report) {
        return Stream.concat(
                        report.holders().stream().map(LockReport.Holder::client),
                        report.waiters().stream().map(LockReport.Waiter::client))
                .allMatch(client -> client.name().isPresent());
    }

    /** Returns the holder with the description by its client, for which a store waits only briefly, so that it is asked again. */
    LockReport.Holder describedHolder() {
        return scene.eventually(
                () -> inspect().holder().orElseThrow(), holder -> holder.owner().isPresent());
    }

    /** Requires that the name is assigned to a client that asks again, or granted. */
    void isServed(Acquire request) {
        Acquire.Reply reply = acquire(request);
        if (reply instanceof Acquire.Refused) {
            assertEquals(request.tenure(), signal(Signal.Assigned.class).tenure());
        } else {
            assertInstanceOf(Acquire.Granted.class, reply);
        }
    }

    /** Returns the next signal of this kind, after those that were taken before. */
    <S extends Signal> S signal(Class<S> kind) {
        if (!scene.becomes(() -> signals.stream().anyMatch(kind::isInstance))) {
            throw new AssertionError(id + " got no " + kind.getSimpleName() + ", only " + signals);
        }
        Signal first = signals.stream().filter(kind::isInstance).findFirst().orElseThrow();
        signals.remove(first);
        return kind.cast(first);
    }

    /**
     * Requires that the holder of a tenure learns that another client waits. A store that scans its records reports that with
     * the next renewal.
     */
    void isWanted(TenureId tenure, Share.Mode mode) {
        if (capabilities().signals() == Capabilities.Signals.PUSHED) {
            assertEquals(scene.name(), signal(Signal.Wanted.class).name());
        } else {
            Renew.Reply reply = renew(new Renew(scene.name(), tenure, mode, Scene.LONG, 0));
            assertTrue(assertInstanceOf(Renew.Renewed.class, reply).foreignWaiters() > 0);
        }
    }

    /** Requires that a holder that {@linkplain #isWanted knows} of the waiters has got no further signal. */
    void isNotToldAgain() {
        boolean pushed = capabilities().signals() == Capabilities.Signals.PUSHED;
        assertEquals(
                List.of(),
                signals().stream()
                        .filter(signal -> pushed || !(signal instanceof Signal.Wanted))
                        .toList());
    }

    /** Requires that the holder learns that its tenure was revoked, as in {@link #isWanted}. */
    void isRevoked(TenureId tenure, Share.Mode mode) {
        if (capabilities().signals() == Capabilities.Signals.PUSHED) {
            assertEquals(new Signal.Revoked(scene.name(), tenure), signal(Signal.Revoked.class));
        } else {
            assertInstanceOf(Renew.Lost.class, renew(new Renew(scene.name(), tenure, mode, Scene.LONG, 0)));
        }
    }

    /** Requires that the name was assigned to this client, for no longer than the lease of its position. */
    void isAssigned(TenureId tenure, Duration lease) {
        Signal.Assigned assigned = signal(Signal.Assigned.class);
        assertEquals(tenure, assigned.tenure());
        // an upper bound of the clock that this client knows as the store's
        long now = store.clock(scene.name()).notAfter(scene.nanoTime(), Duration.ZERO);
        long micros = assigned.expiresMicros() - now;
        if (micros <= 0) {
            scene.tookTooLong();
        }
        assertTrue(
                micros > 0 && micros <= TimeUnit.MICROSECONDS.convert(lease),
                () -> "a place with a lease of " + lease + " was assigned for " + micros + " us");
    }

    /** Returns all signals that were not taken. */
    List<Signal> signals() {
        return List.copyOf(signals);
    }

    void close() {
        store.close();
    }
}
