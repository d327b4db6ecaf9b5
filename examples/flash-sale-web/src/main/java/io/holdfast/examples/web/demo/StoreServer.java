package io.holdfast.examples.web.demo;

import io.holdfast.embedded.redis.RedisServer;
import io.holdfast.examples.web.Books;
import io.holdfast.examples.web.RedisBooks;
import io.holdfast.examples.web.SqlBooks;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;

/** The server of stock and locks, which ends with this JVM. */
interface StoreServer extends AutoCloseable {

    /** Returns the name of the server for a person. */
    String name();

    /** Returns the arguments that connect an instance. */
    List<String> arguments();

    /** Opens the accounts. */
    Books books() throws SQLException;

    @Override
    void close() throws IOException;

    /** Starts a Redis server. */
    static StoreServer redis() {
        RedisServer server = RedisServer.start();
        return new StoreServer() {
            @Override
            public String name() {
                return "Redis";
            }

            @Override
            public List<String> arguments() {
                return List.of("--spring.data.redis.host=127.0.0.1", "--spring.data.redis.port=" + server.port());
            }

            @Override
            public Books books() {
                return new RedisBooks(server.uri());
            }

            @Override
            public void close() {
                server.close();
            }
        };
    }

    /** Starts a PostgreSQL server. */
    static StoreServer postgreSql() throws IOException {
        PostgresServer server = PostgresServer.start();
        return new StoreServer() {
            @Override
            public String name() {
                return "PostgreSQL";
            }

            @Override
            public List<String> arguments() {
                return List.of("--spring.profiles.active=postgres", "--spring.datasource.url=" + server.uri());
            }

            @Override
            public Books books() throws SQLException {
                return new SqlBooks(server.uri());
            }

            @Override
            public void close() throws IOException {
                server.close();
            }
        };
    }
}
