package io.holdfast.examples.web;

import io.holdfast.embedded.redis.RedisServer;
import io.lettuce.core.RedisClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

class RedisStockTest extends StockContract {

    private static RedisServer server;
    private static LettuceConnectionFactory connections;
    private static Stock stock;
    private static Books books;

    @BeforeAll
    static void open() {
        server = RedisServer.start();
        connections = new LettuceConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", server.port()));
        connections.start();
        RedisClient client = (RedisClient) connections.getRequiredNativeClient();
        stock = new RedisStock(
                new StringRedisTemplate(connections), client.connect().sync());
        books = new RedisBooks(server.uri());
    }

    @AfterAll
    static void close() {
        books.close();
        connections.destroy();
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
