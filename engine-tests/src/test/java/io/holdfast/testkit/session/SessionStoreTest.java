package io.holdfast.testkit.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.holdfast.LockReport;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Acquire.Queueing;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.TenureId;
import io.holdfast.support.Stages;
import io.holdfast.testkit.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the store adds to its servers: the life of a hold with its session, the clock of a record, and combined requests. */
class SessionStoreTest {

    private static final String NAME = "n";
    private static final Duration LEASE = Duration.ofSeconds(3);

    /** A lease that lasts as long as its session. */
    private static final Duration KEPT = SessionServer.SESSION;

    private final Simulation time = Simulation.of(5);
    private final SessionServer server = new SessionServer(time);
    private final List<Client> clients = new ArrayList<>();

    @AfterEach
    void close() {
        clients.forEach(client -> client.store.close());
        time.runReady();
        time.close();
    }

    private final class Client {

        private final String id;
        private final List<Signal> signals = new ArrayList<>();
        private final LockStore store;
        private final SimulatedSessions sessions;

        Client(String id) {
            this.id = id;
            LockReport.Client identity = LockReport.Client.unknown(id);
            store = server.open(StoreConfig.of("session:", identity, time)
                    .withClient(identity, signals::add, name -> Optional.empty()));
            sessions = server.lastClient();
            clients.add(this);
        }

        TenureId tenure(long number) {
            return new TenureId(id, number);
        }

        Acquire request(long number, Duration lease) {
            return Acquire.of(NAME, tenure(number), lease);
        }

        Acquire.Reply acquire(Acquire request) {
            return time.await(store.acquire(request));
        }

        boolean gets(long number) {
            return acquire(request(number, KEPT)) instanceof Acquire.Granted;
        }

        Release.Reply release(long number) {
            return time.await(store.release(Release.of(NAME, tenure(number))));
        }

        Renew.Reply renew(long number) {
            return renew(number, KEPT);
        }

        Renew.Reply renew(long number, Duration lease) {
            return time.await(store.renew(List.of(new Renew(NAME, tenure(number), lease, 0))))
                    .get(0);
        }
    }

    // ---- the clock of a record

    @Test
    void aLeaseOfADeadClientEndsForOneWhoWatchesAndNeverEarlier() {
        Client dead = new Client("dead");
        Client watcher = new Client("watcher");
        dead.acquire(dead.request(1, LEASE));
        Duration granted = time.elapsed();
        dead.sessions.kill();
        long attempt = 0;
        while (!watcher.gets(++attempt)) {
            time.runFor(Duration.ofMillis(100));
        }
        assertThat(time.elapsed().minus(granted))
                .isGreaterThanOrEqualTo(LEASE.minusMillis(5))
                .isLessThan(LEASE.plusMillis(300));
    }

    @Test
    void aLeaseThatNobodyWatchedIsWaitedForInFull() {
        Client dead = new Client("dead");
        Client late = new Client("late");
        dead.acquire(dead.request(1, LEASE));
        dead.sessions.kill();
        time.runFor(LEASE.multipliedBy(2));
        assertThat(late.gets(1)).isFalse();
        time.runFor(LEASE.plusMillis(10));
        assertThat(late.gets(2)).isTrue();
    }

    /** The clock of the record stands still for most of the first lease, because nobody reads or writes it. */
    @Test
    void aShorterRenewalHoldsAgainstOneWhoWatchedTheLongerLease() {
        Client holder = new Client("holder");
        Client early = new Client("early");
        Client late = new Client("late");
        Duration brief = LEASE.dividedBy(2);
        assertThat(holder.acquire(holder.request(1, LEASE))).isInstanceOf(Acquire.Granted.class);
        assertThat(early.gets(1)).isFalse();
        time.runFor(brief);
        late.acquire(late.request(1, KEPT).queued(Queueing.BARGING, 0));
        time.runFor(brief.minusMillis(200));
        assertThat(holder.renew(1, brief))
                .isInstanceOfSatisfying(
                        Renew.Renewed.class,
                        renewed -> assertThat(renewed.valid()).isGreaterThan(brief.minusMillis(100)));
        time.runFor(Duration.ofMillis(400));
        assertThat(early.gets(2)).isFalse();
        assertThat(holder.release(1).held()).isTrue();
    }

    @Test
    void aLiveClientEndsALeaseItself() {
        Client client = new Client("client");
        Client other = new Client("other");
        client.acquire(client.request(1, KEPT));
        time.runFor(KEPT.minusMillis(20));
        assertThat(other.gets(1)).isFalse();
        time.runFor(Duration.ofMillis(40));
        assertThat(other.gets(2)).isTrue();
        assertThat(client.renew(1)).isInstanceOf(Renew.Lost.class);
    }

    @Test
    void theEndOfALeaseWhoseRecordWasReplacedIsNotRepeated() {
        Client client = new Client("client");
        client.acquire(client.request(1, LEASE));
        server.overwrite();
        time.runFor(LEASE.plusSeconds(2));
        long asked = server.reads() + server.writes();
        time.runFor(Duration.ofMinutes(1));
        assertThat(server.reads() + server.writes()).isEqualTo(asked);
    }

    // ---- sessions

    @Test
    void aHoldOfAnEndedSessionIsLostAtOnceEvenWithoutAConnection() {
        Client client = new Client("client");
        assertThat(client.gets(1)).isTrue();
        client.sessions.expire();
        client.sessions.cut(true);
        long asked = server.reads() + server.writes();
        assertThat(client.renew(1)).isInstanceOf(Renew.Lost.class);
        assertThat(server.reads() + server.writes()).isEqualTo(asked);
        client.sessions.cut(false);
        assertThat(client.gets(2))
                .as("the hold of the ended session does not count")
                .isTrue();
    }

    @Test
    void aHoldOfADeadClientEndsWithItsSession() {
        Client dead = new Client("dead");
        Client other = new Client("other");
        dead.acquire(dead.request(1, KEPT));
        dead.sessions.kill();
        time.runFor(SessionServer.SESSION.minusSeconds(1));
        assertThat(other.gets(1)).isFalse();
        time.runFor(Duration.ofSeconds(2));
        assertThat(other.gets(2)).isTrue();
    }

    @Test
    void noReplyPromisesMoreThanTheSession() {
        Client client = new Client("client");
        var granted = (Acquire.Granted) client.acquire(client.request(1, Duration.ofHours(1)));
        assertThat(granted.valid()).isPositive().isLessThanOrEqualTo(SessionServer.SESSION);
        time.runFor(Duration.ofSeconds(3));
        assertThat(client.renew(1))
                .isInstanceOfSatisfying(
                        Renew.Renewed.class,
                        renewed -> assertThat(renewed.valid()).isPositive().isLessThan(SessionServer.SESSION));
    }

    /** More holds than are verified with each batch. */
    private static final int MANY = 40;

    private List<Renew> holdsMany(Client client) {
        return LongStream.range(0, MANY)
                .mapToObj(number -> {
                    String name = NAME + number;
                    assertThat(client.acquire(Acquire.of(name, client.tenure(number), KEPT)))
                            .isInstanceOf(Acquire.Granted.class);
                    return new Renew(name, client.tenure(number), KEPT, 0);
                })
                .toList();
    }

    @Test
    void verifiesAllHoldsIfAVerifiedOneIsLost() {
        Client client = new Client("client");
        List<Renew> batch = holdsMany(client);
        server.wipe();
        assertThat(time.await(client.store.renew(batch))).hasSize(MANY).allMatch(Renew.Lost.class::isInstance);
    }

    @Test
    void renewsNoHoldByItselfIfAVerificationFails() {
        Client client = new Client("client");
        List<Renew> batch = holdsMany(client);
        client.sessions.session().loseAnswers(true);
        assertThatExceptionOfType(StoreException.class).isThrownBy(() -> time.await(client.store.renew(batch)));
    }

    @Test
    void aRenewalFailsWithoutAConnection() {
        Client client = new Client("client");
        assertThat(client.gets(1)).isTrue();
        client.sessions.cut(true);
        assertThatExceptionOfType(StoreException.class).isThrownBy(() -> client.renew(1));
    }

    @Test
    void aRequestSaysThatItsSessionHasEndedMeanwhile() {
        Client client = new Client("client");
        time.stepWallClock(Duration.ofMinutes(1));
        CompletionStage<Acquire.Reply> asked = client.store.acquire(client.request(1, KEPT));
        client.sessions.giveUp();
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> time.await(asked))
                .withMessageContaining("the session has ended");
    }

    @Test
    void aReleaseDoesNotServeASessionThatHasEnded() {
        Client holder = new Client("holder");
        Client dead = new Client("dead");
        Client next = new Client("next");
        assertThat(holder.gets(1)).isTrue();
        dead.acquire(dead.request(1, KEPT).queued(Queueing.FAIR, 0));
        next.acquire(next.request(1, KEPT).queued(Queueing.FAIR, 0));
        time.runFor(Duration.ofMillis(100));
        // the holder has read the record while the session lived
        server.end(dead.sessions.session().id());
        holder.release(1);
        time.runFor(Duration.ofMillis(100));
        assertThat(next.signals).anyMatch(Signal.Assigned.class::isInstance);
    }

    @Test
    void closingKeepsAHoldUntilItsLeaseEnds() {
        Client client = new Client("client");
        Client other = new Client("other");
        client.acquire(client.request(1, KEPT));
        client.store.close();
        assertThat(other.gets(1)).isFalse();
        time.runFor(KEPT.plusMillis(100));
        assertThat(other.gets(2)).isTrue();
    }

    // ---- requests

    @Test
    void aRefusalIsNeverDecidedOnAnOldPicture() {
        Client client = new Client("client");
        Client other = new Client("other");
        assertThat(client.gets(1)).isTrue();
        assertThat(other.gets(1)).isFalse();
        client.release(1);
        assertThat(other.gets(2)).isTrue();
    }

    @Test
    void manyRequestsOfOneClientAreDecidedTogether() {
        Client client = new Client("client");
        Client other = new Client("other");
        assertThat(other.gets(1)).isTrue();
        long before = server.writes();
        List<Acquire.Reply> replies = time.await(Stages.all(LongStream.rangeClosed(1, 100)
                .mapToObj(number ->
                        client.store.acquire(client.request(number, KEPT).queued(Queueing.BARGING, 0)))));
        assertThat(replies).hasSize(100).allMatch(Acquire.Refused.class::isInstance);
        assertThat(server.writes() - before).isLessThan(5);
    }

    @Test
    void aReleaseIsDecidedAfterTheAcquireBeforeIt() {
        Client client = new Client("client");
        Client other = new Client("other");
        CompletionStage<Acquire.Reply> acquired = client.store.acquire(client.request(1, KEPT));
        CompletionStage<Release.Reply> released = client.store.release(Release.of(NAME, client.tenure(1)));
        assertThat(time.await(acquired)).isInstanceOf(Acquire.Granted.class);
        assertThat(time.await(released).held()).isTrue();
        assertThat(other.gets(1)).isTrue();
    }

    @Test
    void aReleaseWithAWaiterNeedsOneWrite() {
        Client client = new Client("client");
        Client waiter = new Client("waiter");
        assertThat(client.gets(1)).isTrue();
        waiter.acquire(waiter.request(1, KEPT).queued(Queueing.BARGING, 0));
        time.runFor(Duration.ofMillis(50));
        long reads = server.reads();
        long writes = server.writes();
        client.release(1);
        assertThat(server.writes() - writes).isEqualTo(1);
        assertThat(server.reads() - reads).isZero();
    }

    /** The client reads the record when the message arrives. */
    @Test
    void aReleaseAfterAnAssignmentNeedsOneWrite() {
        Client client = new Client("client");
        Client waiter = new Client("waiter");
        assertThat(client.gets(1)).isTrue();
        waiter.acquire(waiter.request(1, KEPT).queued(Queueing.FAIR, 0));
        client.release(1);
        time.runFor(Duration.ofMillis(50));
        assertThat(waiter.signals).anyMatch(Signal.Assigned.class::isInstance);
        long reads = server.reads();
        long writes = server.writes();
        assertThat(waiter.release(1).held()).isTrue();
        assertThat(server.writes() - writes).isEqualTo(1);
        assertThat(server.reads() - reads).isZero();
    }

    @Test
    void anAssignmentByThisClientIsNotReadAgain() {
        Client client = new Client("client");
        assertThat(client.gets(1)).isTrue();
        client.acquire(client.request(2, KEPT).queued(Queueing.FAIR, 0));
        long reads = server.reads();
        client.release(1);
        time.runFor(Duration.ofMillis(50));
        assertThat(client.signals).anyMatch(Signal.Assigned.class::isInstance);
        assertThat(server.reads() - reads).isZero();
    }

    /** The last picture shows the hold before the present one. */
    @Test
    void aRequestThatJoinsTheQueueOfOthersReadsFirst() {
        Client client = new Client("client");
        Client other = new Client("other");
        assertThat(other.gets(1)).isTrue();
        assertThat(client.gets(1)).isFalse();
        other.release(1);
        assertThat(other.gets(2)).isTrue();
        long writes = server.writes();
        assertThat(client.acquire(client.request(2, KEPT).queued(Queueing.BARGING, 0)))
                .isInstanceOf(Acquire.Refused.class);
        assertThat(server.writes() - writes).as("no write was in vain").isEqualTo(1);
    }

    /** The sessions of the last picture are asked for together with the read. */
    @Test
    void aRefusalOfAKnownHolderTakesOneRoundTrip() {
        Client client = new Client("client");
        Client other = new Client("other");
        assertThat(client.gets(1)).isTrue();
        assertThat(other.gets(1)).isFalse();
        for (int number = 2; number < 50; number++) {
            long begin = time.nanoTime();
            assertThat(other.gets(number)).isFalse();
            assertThat(Duration.ofNanos(time.nanoTime() - begin)).isLessThanOrEqualTo(SimulatedSession.ROUND_TRIP);
        }
    }

    @Test
    void aRenewalReadsAFewRecordsAndReportsOneThatIsGone() {
        Client client = new Client("client");
        assertThat(client.gets(1)).isTrue();
        server.wipe();
        assertThat(client.renew(1)).isInstanceOf(Renew.Lost.class);
    }

    @Test
    void aRenewalOfManyHoldsReadsFewRecords() {
        Client client = new Client("client");
        List<Renew> batch = LongStream.rangeClosed(1, 200)
                .mapToObj(number -> {
                    client.acquire(client.request(number, KEPT).withName(NAME + number));
                    return new Renew(NAME + number, client.tenure(number), KEPT, 0);
                })
                .toList();
        long reads = server.reads();
        assertThat(time.await(client.store.renew(batch))).hasSize(200).allMatch(Renew.Renewed.class::isInstance);
        assertThat(server.reads() - reads).isLessThanOrEqualTo(16);
    }

    @Test
    void aLostAnswerIsUnknownAndTheHoldIsFoundAgain() {
        Client client = new Client("client");
        Client other = new Client("other");
        // the record was read before, so that the next request is a write
        assertThat(client.gets(1)).isTrue();
        client.release(1);
        client.sessions.session().loseAnswers(true);
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> client.gets(2))
                .satisfies(
                        failure -> assertThat(failure.effect().mayBeApplied()).isTrue());
        client.sessions.session().loseAnswers(false);
        assertThat(other.gets(1)).isFalse();
        assertThat(client.gets(2)).isTrue();
        assertThat(client.release(2).held()).isTrue();
    }

    /** The end of a lease waits for the connection. A later grant to the same tenure must not be ended by it. */
    @Test
    void theEndOfALeaseDoesNotEndALaterGrant() {
        Client client = new Client("client");
        Client other = new Client("other");
        client.acquire(client.request(1, KEPT));
        client.sessions.session().loseAnswers(true);
        assertThatExceptionOfType(StoreException.class).isThrownBy(() -> client.acquire(client.request(1, LEASE)));
        client.sessions.session().loseAnswers(false);
        client.release(1);
        client.sessions.session().loseAnswers(true);
        assertThatExceptionOfType(StoreException.class).isThrownBy(() -> client.acquire(client.request(2, LEASE)));
        client.sessions.session().loseAnswers(false);
        client.sessions.cut(true);
        time.runFor(LEASE.plusMillis(200));
        client.sessions.cut(false);
        assertThat(client.gets(2))
                .as("it asks again before the end is repeated")
                .isTrue();
        time.runFor(Duration.ofSeconds(2));
        assertThat(other.gets(1)).isFalse();
        assertThat(client.release(2).held()).isTrue();
    }

    @Test
    void aLeaseThatEndsWhileItIsAskedForAgainIsKept() {
        Client client = new Client("client");
        Client other = new Client("other");
        client.acquire(client.request(1, LEASE));
        time.runFor(LEASE.minusNanos(200_000));
        // the request is under way when the lease ends
        assertThat(client.gets(1)).isTrue();
        time.runFor(Duration.ofSeconds(2));
        assertThat(other.gets(1)).isFalse();
        assertThat(client.release(1).held()).isTrue();
    }

    /** Its client is closed, so nobody can be notified. */
    @Test
    void aDetachedHoldCanBeWaitedForAndForciblyReleased() {
        Client client = new Client("client");
        Client other = new Client("other");
        client.acquire(client.request(1, KEPT));
        client.store.close();
        assertThat(other.acquire(other.request(1, KEPT).queued(Queueing.BARGING, 0)))
                .isInstanceOfSatisfying(
                        Acquire.Refused.class,
                        refused -> assertThat(refused.arrival()).isPositive());
        assertThat(time.await(other.store.forceRelease(NAME))).isPresent();
        assertThat(other.gets(2)).isTrue();
    }

    @Test
    void raisesTokensAlsoAfterAClientWhoseWallClockWasFarAhead() {
        Client ahead = new Client("ahead");
        time.stepWallClock(Duration.ofDays(30));
        Acquire.Granted far = (Acquire.Granted) ahead.acquire(ahead.request(1, KEPT));
        assertThat(ahead.release(1).held()).isTrue();
        time.stepWallClock(Duration.ofDays(-30));
        Client other = new Client("other");
        Acquire.Granted next = (Acquire.Granted) other.acquire(other.request(1, KEPT));
        assertThat(next.tokens().first()).isGreaterThan(far.tokens().last());
    }

    /** The client of the kept hold is gone. The wall clock of this one decides. */
    @Test
    void endsAKeptHoldByTheWallClockOfTheClientThatAsks() {
        Client dead = new Client("dead");
        Client other = new Client("other");
        dead.acquire(dead.request(1, KEPT).withMinHold(KEPT));
        dead.sessions.kill();
        time.runFor(SessionServer.SESSION.multipliedBy(2));
        time.stepWallClock(SessionServer.SESSION.multipliedBy(-2));
        assertThat(other.gets(1)).isFalse();
        time.stepWallClock(SessionServer.SESSION.multipliedBy(2));
        assertThat(other.gets(2)).isTrue();
    }

    /** Each write has another version, so none is known for long. */
    @Test
    void aLeaseOnABusyNameEnds() {
        Client dead = new Client("dead");
        Client one = new Client("one");
        Client two = new Client("two");
        dead.acquire(dead.request(1, LEASE));
        Duration granted = time.elapsed();
        dead.sessions.kill();
        boolean free = false;
        for (long number = 1; !free && time.elapsed().minus(granted).compareTo(LEASE.multipliedBy(3)) < 0; number++) {
            for (Client each : List.of(one, two)) {
                free |= each.acquire(each.request(number, KEPT).queued(Queueing.BARGING, 0)) instanceof Acquire.Granted;
                each.release(number);
            }
        }
        assertThat(free).isTrue();
        assertThat(time.elapsed().minus(granted))
                .isGreaterThanOrEqualTo(LEASE.minusMillis(5))
                .isLessThan(LEASE.plusMillis(300));
    }
}
