package io.holdfast.jdbc.connection;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.holdfast.jdbc.TellingPool;
import java.sql.Connection;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** What pools tell about themselves. */
class ApplicationPoolTest {

    private static String explanation(DataSource source) {
        return new ApplicationPool(source).explanation();
    }

    @Test
    void tellsTheSizeOfHikari() throws Exception {
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setJdbcUrl("jdbc:h2:mem:");
            pool.setMaximumPoolSize(2);
            assertThat(explanation(pool))
                    .isEqualTo(
                            " from the DataSource; the application's pool has lent none (0 of 2 connections are in use)");
            try (Connection one = pool.getConnection();
                    Connection other = pool.getConnection()) {
                assertThat(one).isNotSameAs(other);
                assertThat(explanation(pool))
                        .isEqualTo(
                                " from the DataSource; the application's pool is full (2 of 2 connections are in use)");
            }
            assertThat(new ApplicationPool(pool).isSmall()).contains(true);
            pool.setMaximumPoolSize(3);
            assertThat(new ApplicationPool(pool).isSmall()).contains(false);
        }
    }

    @Test
    void tellsTheSizeOfOtherPools() {
        assertThat(explanation(new TellingPool.Tomcat(7))).endsWith("is full (7 of 7 connections are in use)");
        assertThat(explanation(new TellingPool.Dbcp(2))).endsWith("is full (2 of 2 connections are in use)");
        assertThat(new ApplicationPool(new TellingPool.Tomcat(7)).isSmall()).contains(false);
        assertThat(new ApplicationPool(new TellingPool.Dbcp(2)).isSmall()).contains(true);
    }

    @Test
    void guessesIfThePoolTellsNothing() {
        DataSource unlimited = new TellingPool.Dbcp(-1);
        assertThat(explanation(unlimited)).isEqualTo(" from the DataSource; the application's pool may be full");
        assertThat(new ApplicationPool(unlimited).isSmall()).isEmpty();
    }
}
