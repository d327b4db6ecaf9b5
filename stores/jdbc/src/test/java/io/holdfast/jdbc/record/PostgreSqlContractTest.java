package io.holdfast.jdbc.record;

import io.holdfast.jdbc.sql.PostgreSql;
import io.holdfast.jdbc.sql.Tables;
import io.holdfast.testkit.contract.StoreContract;
import io.holdfast.testkit.contract.StoreHarness;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The rules of all stores, with records and guarded statements in PostgreSQL. */
class PostgreSqlContractTest extends StoreContract {

    private static EmbeddedPostgres server;

    @BeforeAll
    static void start() throws IOException {
        server = EmbeddedPostgres.builder()
                .setPGStartupWait(Duration.ofSeconds(60))
                .start();
    }

    @AfterAll
    static void stop() throws IOException {
        server.close();
    }

    @Override
    protected StoreHarness newHarness() {
        return new TableHarness(server.getJdbcUrl("postgres", "postgres"), new PostgreSql(Tables.DEFAULT));
    }
}
