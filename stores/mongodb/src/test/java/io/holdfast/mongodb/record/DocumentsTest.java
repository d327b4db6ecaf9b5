package io.holdfast.mongodb.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandStartedEvent;
import com.mongodb.event.CommandSucceededEvent;
import io.holdfast.LockReport;
import io.holdfast.mongodb.TestServer;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.TenureId;
import io.holdfast.support.store.RecordKey;
import io.holdfast.support.store.RecordKey.Kind;
import io.holdfast.support.store.RecordKeys;
import io.holdfast.testkit.Await;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is said to the server, and how often. */
class DocumentsTest {

    private static final Duration LEASE = Duration.ofMinutes(5);
    private static final String DATABASE = "holdfast_documents";

    /** Outlasts ten lost races on a busy machine. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** A client writes its identity there, again and again. */
    private static final BsonString IDENTITIES = new BsonString("holdfast_clients");

    private final AtomicInteger commands = new AtomicInteger();

    /** Each is run after a query of the store has read, and before the store writes. */
    private final Queue<Runnable> afterReads = new ArrayDeque<>();

    private final StoreConfig config = StoreConfig.of(
                    TestServer.uri(), LockReport.Client.unknown("documents"), Platform.system())
            .withTimeouts(PATIENCE, PATIENCE);
    private final MongoClient connection = connect();
    private final Documents documents = new Documents(
            connection.getDatabase(DATABASE).getCollection("holdfast_locks"),
            new RecordKeys(""),
            new RouterCheck(connection.getDatabase(DATABASE), new Failures("here")));
    private final MongoStore store = MongoStore.open(config, connection, DATABASE, "here");

    private MongoClient connect() {
        return MongoClients.create(MongoClientSettings.builder()
                .applyConnectionString(new ConnectionString(TestServer.uri()))
                .addCommandListener(new CommandListener() {
                    @Override
                    public void commandStarted(CommandStartedEvent event) {
                        BsonValue collection = event.getCommand().get(event.getCommandName());
                        if (!IDENTITIES.equals(collection)) {
                            commands.incrementAndGet();
                        }
                    }

                    @Override
                    public void commandSucceeded(CommandSucceededEvent event) {
                        if (event.getCommandName().equals("aggregate")) {
                            Optional.ofNullable(afterReads.poll()).ifPresent(Runnable::run);
                        }
                    }
                })
                .build());
    }

    @BeforeEach
    void wipe() {
        var unused =
                connection.getDatabase(DATABASE).getCollection("holdfast_locks").deleteMany(new Document());
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static TenureId tenure(long number) {
        return new TenureId("documents", number);
    }

    private static RecordKey lock(String name) {
        return new RecordKey(Kind.LOCK, name);
    }

    private Acquire.Reply acquire(String name, long number) {
        long notAfter = store.clock(name).notAfter(System.nanoTime(), Duration.ofSeconds(5));
        Acquire.Reply reply = Await.reply(
                store.acquire(Acquire.of(name, tenure(number), LEASE).withNotAfter(notAfter)));
        long now = reply instanceof Acquire.Granted granted
                ? granted.serverMicros()
                : reply instanceof Acquire.Late late ? late.serverMicros() : 0;
        store.clock(name).observe(System.nanoTime(), now);
        return reply;
    }

    private void granted(String name, long number) {
        Acquire.Reply reply = acquire(name, number);
        assertThat(reply instanceof Acquire.Late ? acquire(name, number) : reply)
                .isInstanceOf(Acquire.Granted.class);
    }

    private boolean released(String name, long number) {
        return Await.reply(store.release(Release.of(name, tenure(number)))).held();
    }

    @Test
    void aPairIsTwoCommands() {
        granted("pair", 1);
        assertThat(released("pair", 1)).isTrue();
        commands.set(0);
        for (int i = 2; i < 12; i++) {
            granted("pair", i);
            assertThat(released("pair", i)).isTrue();
        }
        assertThat(commands).hasValue(20);
    }

    private List<Renew> held(int holds) {
        return IntStream.range(0, holds)
                .mapToObj(i -> {
                    granted("many" + i, i);
                    return new Renew("many" + i, tenure(i), LEASE, 0);
                })
                .toList();
    }

    @Test
    void hundredsOfRenewalsAreTwoCommands() {
        List<Renew> batch = held(300);
        assertThat(Await.reply(store.renew(batch))).hasSize(300);
        commands.set(0);
        assertThat(Await.reply(store.renew(batch))).hasSize(300).allMatch(Renew.Renewed.class::isInstance);
        assertThat(commands).hasValue(2);
    }

    private void overtake(MongoClient other, String name) {
        var unused = other.getDatabase(DATABASE)
                .getCollection("holdfast_locks")
                .updateOne(new Document("_id", "L" + name), new Document("$inc", new Document("v", 1L)));
    }

    /** The last commands find out who has lost, and repeat the renewals of these. */
    @Test
    void renewalsThatHaveLostARaceAreRepeatedTogether() {
        List<Renew> batch = held(20);
        try (MongoClient other = MongoClients.create(TestServer.uri())) {
            afterReads.add(() -> List.of("many3", "many7").forEach(name -> overtake(other, name)));
            commands.set(0);
            assertThat(Await.reply(store.renew(batch))).hasSize(20).allMatch(Renew.Renewed.class::isInstance);
            assertThat(commands).hasValue(5);
        }
    }

    @Test
    void aRenewalThatLosesEachRaceDelaysNoOther() {
        List<Renew> batch = held(20);
        try (MongoClient other = MongoClients.create(TestServer.uri())) {
            IntStream.range(0, 10).forEach(i -> afterReads.add(() -> overtake(other, "many7")));
            commands.set(0);
            assertThat(Await.reply(store.renew(batch))).hasSize(20).allMatch(Renew.Renewed.class::isInstance);
            assertThat(afterReads).isEmpty();
            assertThat(commands.get()).isLessThan(30);
        }
    }

    /** A copy of the first acquire arrives after the release. */
    @Test
    void aLateCopyOfAGuardedAcquireIsNotApplied() {
        granted("late", 1);
        assertThat(released("late", 1)).isTrue();
        long number = documents.find(lock("late")).orElseThrow().version();
        long past = documents.find(lock("late")).orElseThrow().nowMicros() - 1_000_000;
        assertThat(documents.acquire(lock("late"), "me", 1_000, Optional.of(number - 1), Long.MAX_VALUE))
                .as("with the number of an earlier write")
                .isEmpty();
        assertThat(documents.acquire(lock("late"), "me", 1_000, Optional.empty(), past))
                .as("after its time")
                .isEmpty();
        assertThat(documents.acquire(lock("late"), "me", 1_000, Optional.of(number), past))
                .as("after its time, with the present number")
                .isEmpty();
        assertThat(documents.acquire(lock("late"), "me", 1_000, Optional.of(number), past + 3_600_000_000L))
                .as("in time")
                .isPresent();
    }

    @Test
    void aLeaseThatHasEndedIsNotReleased() throws InterruptedException {
        granted("ended", 1);
        var unused = Await.reply(store.release(Release.of("ended", tenure(1))));
        long number = documents.find(lock("ended")).orElseThrow().version();
        assertThat(documents.acquire(lock("ended"), "me", 1, Optional.of(number), Long.MAX_VALUE))
                .isPresent();
        Thread.sleep(20);
        assertThat(documents.release(lock("ended"), "me")).isEmpty();
    }

    /** The release of a late acquire writes a document without a token. */
    @Test
    void theFirstTokenOfADocumentComesFromTheClock() {
        assertThat(released("fresh", 1)).isFalse();
        long before = documents.find(lock("fresh")).orElseThrow().nowMicros();
        granted("fresh", 2);
        assertThat(documents.find(lock("fresh")).orElseThrow().columns().lastUnit())
                .isGreaterThanOrEqualTo(before);
    }

    /** The time of a write is part of its lease. */
    @Test
    void aDocumentThatExistsIsNotCreatedAgain() throws InterruptedException {
        granted("exists", 1);
        Stored before = documents.read(lock("exists"));
        Thread.sleep(5);
        documents.create(lock("exists"));
        assertThat(documents.read(lock("exists")).atMicros()).isEqualTo(before.atMicros());
    }

    /** Somebody has changed it by hand. It must fail neither the others of its batch nor the sweep. */
    @Test
    void aDocumentOfAnotherProgramFailsAlone() {
        granted("good", 1);
        granted("bad", 2);
        var collection = connection.getDatabase(DATABASE).getCollection("holdfast_locks");
        var updated =
                collection.updateOne(new Document("_id", "Lbad"), new Document("$set", new Document("u", "text")));
        var inserted = collection.insertOne(new Document("at", Stored.date(0)));
        assertThat(updated.getMatchedCount() == 1 && inserted.wasAcknowledged()).isTrue();
        List<Renew.Reply> replies = Await.reply(
                store.renew(List.of(new Renew("bad", tenure(2), LEASE, 0), new Renew("good", tenure(1), LEASE, 0))));
        assertThat(replies.get(0)).isInstanceOf(Renew.Failed.class);
        assertThat(replies.get(1)).isInstanceOf(Renew.Renewed.class);
        assertThat(documents.unused(Stored.date(0), Stored.date(Long.MAX_VALUE / 2), 10))
                .extracting(Stored::name)
                .containsExactlyInAnyOrder("good", "bad");
    }

    /** A guard would never match it, and an acquire would wait without limit. */
    @ParameterizedTest
    @MethodSource
    void refusesADocumentWhoseNumberIsNotWhole(Object number) {
        granted("odd", 1);
        assertThat(released("odd", 1)).isTrue();
        var collection = connection.getDatabase(DATABASE).getCollection("holdfast_locks");
        var updated = collection.updateOne(
                new Document("_id", "Lodd"), new Document("$set", new Document("v", number).append("w", 1)));
        assertThat(updated.getMatchedCount()).isOne();
        // another client, which does not know the number
        LockStore other = MongoStore.open(config, connect(), DATABASE, "there");
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> Await.reply(other.acquire(Acquire.of("odd", tenure(2), LEASE))))
                .satisfies(failure -> assertThat(failure.effect()).isEqualTo(StoreException.Effect.REFUSED))
                .withMessageContaining("fields of other types");
        assertThat(new HashSet<>(
                        documents.find(lock("odd")).orElseThrow().found().values()))
                .contains(number);
        other.close();
    }

    static Stream<Object> refusesADocumentWhoseNumberIsNotWhole() {
        return Stream.of("text", 2.5, true, Double.POSITIVE_INFINITY);
    }

    @Test
    void aSweepDeletesWhatWasNotUsedForDays() {
        granted("old", 1);
        assertThat(released("old", 1)).isTrue();
        granted("held", 2);
        long now = documents.find(lock("old")).orElseThrow().nowMicros();
        Clients clients = new Clients(
                config, connection.getDatabase(DATABASE).getCollection("holdfast_clients"), new Failures("here"));
        Stored old = documents.find(lock("old")).orElseThrow();
        try (Sweep sweep = new Sweep(config, documents, clients)) {
            sweep.run(now);
            assertThat(documents.find(lock("old"))).as("used today").isPresent();
        }
        assertThat(documents.unused(Stored.date(0), Stored.date(now + 1_000_000), 10))
                .extracting(Stored::name)
                .contains("old", "held");
        assertThat(documents.delete(old)).isTrue();
        granted("old", 3);
        assertThat(documents.delete(old)).as("another life of the name").isFalse();
        Stored again = documents.find(lock("old")).orElseThrow();
        assertThat(again.version()).isGreaterThan(old.version());
        assertThat(again.columns().lastUnit()).isGreaterThan(old.columns().lastUnit());
    }
}
