package io.holdfast.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.redis.connection.Failovers.Replacement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The messages of Sentinels about a failover. */
class FailoversTest {

    @Test
    void readsTheEndOfAFailover() {
        assertThat(Replacement.read("+switch-master", "orders 10.0.0.1 6379 10.0.0.2 6380"))
                .contains(new Replacement("orders", "10.0.0.1:6379", "10.0.0.2:6380"));
    }

    @Test
    void readsThePromotionThatComesBeforeIt() {
        assertThat(Replacement.read("+promoted-slave", "slave 10.0.0.2:6380 10.0.0.2 6380 @ orders 10.0.0.1 6379"))
                .contains(new Replacement("orders", "10.0.0.1:6379", "10.0.0.2:6380"));
    }

    @ParameterizedTest
    @CsvSource({
        "+switch-master, m h x h y",
        "+switch-master, orders 10.0.0.1 6379",
        "+switch-master, orders 10.0.0.1 6379 10.0.0.2 6380 more",
        "+promoted-slave, master orders 10.0.0.1 6379",
        "+promoted-slave, orders 10.0.0.1 6379 10.0.0.2 6380",
        "+switch-master, orders 10.0.0.1 6379 10.0.0.2 65536",
        "+promoted-slave, slave 10.0.0.2:6380 10.0.0.2 6380 @ orders 10.0.0.1 99999",
        "+switch-master, ''"
    })
    void ignoresAMessageOfAnotherForm(String channel, String message) {
        assertThat(Replacement.read(channel, message)).isEmpty();
    }
}
