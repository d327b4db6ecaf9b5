package io.holdfast.examples.web;

import io.lettuce.core.RedisClient;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Profile;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The application. Its stock and its locks are in Redis, or, with the profile {@code postgres}, in PostgreSQL. In both cases,
 * Holdfast uses the connection that the application has.
 */
@SpringBootApplication(proxyBeanMethods = false)
@EnableConfigurationProperties(ShopProperties.class)
public class Shop {

    /** The beginning of the line that an instance prints when it serves requests; its port follows. */
    public static final String READY = "shop serves port ";

    /** Runs an instance. */
    public static void main(String[] arguments) {
        SpringApplication.run(Shop.class, arguments);
    }

    /** The stock in Redis, with a connection of its own for the scripts that need the driver. */
    @Bean
    @Profile("!postgres")
    Stock redisStock(StringRedisTemplate redis, LettuceConnectionFactory connections) {
        RedisClient client = (RedisClient) connections.getRequiredNativeClient();
        return new RedisStock(redis, client.connect().sync());
    }

    /** The stock in PostgreSQL. */
    @Bean
    @Profile("postgres")
    Stock sqlStock(JdbcTemplate jdbc, TransactionTemplate transactions, DataSource dataSource) throws SQLException {
        return new SqlStock(jdbc, transactions, dataSource);
    }
}
