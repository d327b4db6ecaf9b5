package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.LockReport;
import io.holdfast.spi.Renew;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.StoreClient;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("everywhere")
class SchemaTest {

    private final Databases database = Databases.memory();

    @AfterEach
    void close() throws Exception {
        database.close();
    }

    private void assertRefused(String url, String... texts) {
        assertThatThrownBy(() -> Databases.client(url).close())
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.effect()).isEqualTo(Effect.REFUSED))
                .hasMessageContaining("H2 at jdbc:h2:")
                .hasMessageContainingAll(texts);
        assertThat(database.sessions()).isZero();
    }

    @Test
    void theFirstClientsCreateTheTableTogether() throws Exception {
        CountDownLatch start = new CountDownLatch(1);
        List<CompletableFuture<StoreClient>> clients = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            clients.add(CompletableFuture.supplyAsync(() -> {
                try {
                    start.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                return database.client();
            }));
        }
        start.countDown();
        for (int i = 0; i < 5; i++) {
            try (StoreClient client = clients.get(i).get()) {
                assertThat(client.granted("lock" + i, 1).foreignWaiters()).isZero();
            }
        }
        assertThat(database.column("SELECT UTF8TOSTRING(name) FROM holdfast_locks ORDER BY name"))
                .containsExactly("Llock0", "Llock1", "Llock2", "Llock3", "Llock4");
    }

    /** H2 answers with another code if it finds a table whose name differs in case, or was created a moment ago. */
    @Test
    void aTableWhoseNameDiffersInCaseIsNotTheirs() {
        database.run("CREATE TABLE \"holdfast_locks\" (id INT)");
        try (StoreClient client = database.client()) {
            assertThat(client.granted("lock", 1).foreignWaiters()).isZero();
        }
    }

    @Test
    void anotherTableOfThatNameIsRefused() {
        database.run("CREATE TABLE holdfast_locks (id INT)");
        assertRefused(database.url(), "table holdfast_locks or holdfast_clients has other columns");
        assertThat(database.column("SELECT COUNT(*) FROM holdfast_locks")).containsExactly(0L);
    }

    @Test
    void aTableWithAnotherTypeIsRefused() {
        database.client().close();
        database.run("ALTER TABLE holdfast_locks ALTER COLUMN waiters VARCHAR(9)");
        assertRefused(database.url(), "has other columns");
    }

    @Test
    void aTableThatPadsNamesIsRefused() {
        database.client().close();
        database.run("ALTER TABLE holdfast_locks ALTER COLUMN name BINARY(64)");
        assertRefused(database.url(), "has other columns");
    }

    @Test
    void missingTablesAreAnErrorIfTheUrlForbidsToCreateThem() {
        String url = database.url() + ";CREATE_TABLES=FALSE";
        assertRefused(url, "does not exist, and the URL forbids to create it", "docs/databases.md");
        database.client().close();
        Databases.client(url).close();
    }

    @Test
    void tablesOfAnotherPrefixAreOthers() {
        database.run("CREATE SCHEMA app");
        try (StoreClient one = database.client();
                StoreClient other = Databases.client(database.url() + ";TABLE_PREFIX=app.hf_")) {
            one.granted("lock", 1);
            other.granted("lock", 1);
            assertThat(database.column("SELECT UTF8TOSTRING(name) FROM app.hf_locks"))
                    .containsExactly("Llock");
        }
    }

    @Test
    void refusesASecondTableInAnotherSchemaUnlessTheUrlNamesIt() {
        database.run("CREATE SCHEMA app");
        database.client().close();
        String ofApp = database.url() + ";INIT=SET SCHEMA app";
        assertRefused(
                ofApp,
                "its session uses the table holdfast_locks of the schema APP, and there is one of that name in the schema PUBLIC",
                "tablePrefix=SCHEMA.holdfast_");
        assertThat(database.column("SELECT COUNT(*) FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_SCHEMA = 'APP'"))
                .as("tables of a client that was refused")
                .containsExactly(0L);
        for (String named : List.of(ofApp + ";TABLE_PREFIX=app.holdfast_", database.url() + ";SCHEMA=APP")) {
            try (StoreClient client = Databases.client(named)) {
                assertThat(client.granted("lock", 1).foreignWaiters()).isZero();
                client.release("lock", 1);
            }
        }
        assertRefused(
                database.url(),
                "its session uses the table holdfast_locks of the schema PUBLIC, and there is one of that name in the schema APP");
        try (StoreClient client = Databases.client(database.url() + ";TABLE_PREFIX=public.holdfast_")) {
            assertThat(client.granted("lock", 1).foreignWaiters()).isZero();
        }
    }

    @Test
    void aUserWithoutRightsIsRefusedUntilTheyAreGranted() {
        database.run("CREATE USER app PASSWORD 'secret'");
        String url = database.url() + ";USER=app;PASSWORD=secret";
        assertRefused(url, "the user lacks a right", "create table");
        database.client().close();
        assertRefused(url, "the user lacks a right", "select, insert, update and delete");
        database.run("GRANT SELECT ON holdfast_locks, holdfast_clients TO app");
        assertRefused(url, "the user lacks a right", "select, insert, update and delete");
        database.run("GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast_locks, holdfast_clients TO app");
        try (StoreClient app = Databases.client(url)) {
            app.granted("lock", 1);
            assertThat(app.release("lock", 1).held()).isTrue();
        }
    }

    @Test
    void aWrongPasswordIsRefusedAndNotShown() {
        assertThatThrownBy(() -> Databases.client(database.url() + ";USER=app;PASSWORD=hidden")
                        .close())
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.effect()).isEqualTo(Effect.REFUSED))
                .hasMessageContaining("does not accept user and password")
                .satisfies(e -> assertThat(e.toString()).doesNotContain("hidden"));
    }

    @Test
    void aFileThatForgetsCommitsIsMadeToKeepThem(@TempDir Path folder) throws Exception {
        try (Databases file = Databases.file(folder)) {
            file.run("SET WRITE_DELAY 500");
            file.client().close();
            assertThat(file.column(
                            "SELECT SETTING_VALUE FROM INFORMATION_SCHEMA.SETTINGS WHERE SETTING_NAME = 'WRITE_DELAY'"))
                    .isNotEmpty()
                    .containsOnly("0");
        }
    }

    @Test
    void aFileThatForgetsCommitsIsRefusedToThoseWhoMayNotChangeIt(@TempDir Path folder) throws Exception {
        try (Databases file = Databases.file(folder)) {
            file.client().close();
            file.run("CREATE USER app PASSWORD 'secret'");
            file.run("GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast_locks, holdfast_clients TO app");
            String url = file.url().replace(";WRITE_DELAY=0", "") + ";USER=app;PASSWORD=secret";
            Databases.client(url).close();
            file.run("SET WRITE_DELAY 500");
            assertRefused(url, "it may forget locks", "SET WRITE_DELAY 0", "WRITE_DELAY is [500");
        }
    }

    @Test
    void whatIsWrongInTheUrlIsRefusedAtOnceAndNotShown() {
        for (String setting : new String[] {
            "INIT=CREATE USRE u PASSWORD 's3cret'",
            "NO_SUCH_SETTING=s3cret",
            "MODE=s3cret",
            "USER=s3cret;PASSWORD=s3cret"
        }) {
            assertThatThrownBy(() ->
                            Databases.client(database.url() + ";" + setting).close())
                    .isInstanceOfSatisfying(
                            StoreException.class,
                            e -> assertThat(e.effect()).as(setting).isEqualTo(Effect.REFUSED))
                    .hasMessageContaining("H2 at jdbc:h2:mem:")
                    .hasStackTraceContaining("SQLException")
                    .satisfies(e -> assertThat(stackTrace(e)).doesNotContainIgnoringCase("s3cret"));
        }
    }

    private static String stackTrace(Throwable error) {
        StringWriter text = new StringWriter();
        error.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    @Test
    void theIdentifiersOfTheDatabaseMayBeInAnyCase() throws Exception {
        for (String setting : new String[] {"DATABASE_TO_UPPER=FALSE", "DATABASE_TO_LOWER=TRUE", "MODE=Oracle"}) {
            try (Databases odd = Databases.memory(";" + setting);
                    StoreClient client = odd.client()) {
                client.granted("lock", 1);
                assertThat(client.renew("lock", 1)).isInstanceOf(Renew.Renewed.class);
                assertThat(Await.reply(client.store().list(""))).hasSize(1);
                assertThat(client.release("lock", 1).held()).isTrue();
            }
        }
    }

    @Test
    void aRowThatCannotBeReadHidesNoOther() {
        try (StoreClient client = database.client()) {
            client.granted("bad", 1);
            client.granted("good", 2);
            database.run("UPDATE holdfast_locks SET state = '2|' WHERE name = STRINGTOUTF8('Lbad')");
            database.run("UPDATE holdfast_clients SET identity = 'by hand'");
            assertThat(Await.reply(client.store().list("")))
                    .extracting(LockReport::name)
                    .containsExactly("good");
            assertThatThrownBy(() -> client.release("bad", 1))
                    .isInstanceOfSatisfying(
                            StoreException.class, e -> assertThat(e.effect()).isEqualTo(Effect.REFUSED))
                    .hasMessageContaining("the record of 'bad' at the store cannot be read");
        }
    }

    @Test
    void aRowWrittenByHandIsShownAndFreed() {
        try (StoreClient client = database.client()) {
            client.granted("lock", 1);
            database.run("UPDATE holdfast_locks SET tenure = 'admin'");
            assertThat(Await.reply(client.store().list(""))).hasSize(1);
            LockReport.Holder holder =
                    Await.reply(client.store().forceRelease("lock")).orElseThrow();
            assertThat(holder.client().id()).isEqualTo("admin");
            client.granted("lock", 2);
        }
    }

    @Test
    void aPrefixThatLeavesNoRoomForNamesIsRefused() {
        assertThatThrownBy(() -> new StoreClient(
                                new JdbcStoreProvider(),
                                database.url(),
                                config -> config.withKeyPrefix("p".repeat(1_025)))
                        .close())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("keyPrefix", "1024");
    }
}
