package io.holdfast.examples.web;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

class SqlStockTest extends StockContract {

    @TempDir
    private static Path folder;

    private static EmbeddedPostgres server;
    private static Stock stock;
    private static Books books;

    @BeforeAll
    static void open() throws IOException, SQLException {
        server = EmbeddedPostgres.builder()
                .setOverrideWorkingDirectory(folder.resolve("programs").toFile())
                .setDataDirectory(folder.resolve("data"))
                .start();
        DataSource source = server.getPostgresDatabase();
        books = new SqlBooks(server.getJdbcUrl("postgres", "postgres"));
        stock = new SqlStock(
                new JdbcTemplate(source), new TransactionTemplate(new DataSourceTransactionManager(source)), source);
    }

    @AfterAll
    static void close() throws IOException {
        books.close();
        server.close();
    }

    @Override
    Stock stock() {
        return stock;
    }

    @Override
    Books books() {
        return books;
    }
}
