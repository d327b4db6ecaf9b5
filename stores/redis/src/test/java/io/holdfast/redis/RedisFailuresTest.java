package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.holdfast.Safety;
import io.holdfast.redis.connection.RedisAddress;
import io.holdfast.redis.connection.RedisFailures;
import io.holdfast.spi.StoreException;
import io.holdfast.support.NothingListens;
import io.holdfast.testkit.Await;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.protocol.RedisProtocolException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the answers of a server that cannot do it are taken for. */
class RedisFailuresTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "MOVED 866 127.0.0.1:7001",
                "ASK 866 127.0.0.1:7001",
                "TRYAGAIN Multiple keys request during rehashing of slot",
                "CROSSSLOT Keys in request don't hash to the same slot",
                "CLUSTERDOWN Hash slot not served"
            })
    void aClusterHasDoneNothingAndIsNamed(String answer) {
        StoreException failure =
                new RedisFailures(RedisAddress.parse("redis://host")).answer("find the master", answer);
        assertThat(failure.effect()).isEqualTo(StoreException.Effect.NOT_APPLIED);
        assertThat(failure).hasMessageContainingAll("find the master", "it belongs to a cluster", answer);
    }

    /** The second text is that of a connection which is closed while the driver sets it up. */
    @ParameterizedTest
    @ValueSource(strings = {"Connection closed prematurely", "RedisHandshakeHandler not registered"})
    void aConnectionThatIsClosedAtOnceIsNotOneOfRedis(String text) {
        StoreException failure = new RedisFailures(RedisAddress.parse("redis://host"))
                .unreachable("connect", new IllegalStateException(text));
        assertThat(failure).hasMessageContaining("it does not answer like Redis; check host and port");
    }

    @ParameterizedTest
    @CsvSource({
        "ERR unknown command 'WAITAOF', true",
        "ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled., true",
        "NOPERM User app has no permissions to run the 'waitaof' command, true",
        "ERR WAITAOF cannot be used with replica instances., false",
        "UNBLOCKED force unblock from blocking operation, false",
        "LOADING Redis is loading the dataset in memory, false"
    })
    void onlyWhatSomebodyHasToRepairIsARefusalOfDisks(String answer, boolean refusal) {
        RedisFailures failures = new RedisFailures(RedisAddress.parse("redis://host"));
        assertThat(failures.notDurable(Safety.durable(), new RedisCommandExecutionException(answer))
                        .isPresent())
                .isEqualTo(refusal);
    }

    /** As servers before Redis 7 wrap what a command in a script failed with. */
    @ParameterizedTest
    @CsvSource({
        "-READONLY You can't write against a read only replica., NOT_APPLIED, it is a replica",
        "-OOM command not allowed when used memory > 'maxmemory'., REFUSED, its memory is full",
        "Unknown Redis command called from Lua script, UNKNOWN, the server answered"
    })
    void anErrorInsideAScriptIsUnderstood(String error, StoreException.Effect effect, String meaning) {
        String answer = "ERR Error running script (call to f_d6c5): @user_script:13: @user_script: 13: " + error;
        StoreException failure =
                new RedisFailures(RedisAddress.parse("redis://host")).answer("find the master", answer);
        assertThat(failure.effect()).isEqualTo(effect);
        assertThat(failure).hasMessageContainingAll(meaning, answer);
        assertThat(RedisFailures.isDemotion(new RedisCommandExecutionException(answer)))
                .isEqualTo(effect == StoreException.Effect.NOT_APPLIED);
    }

    @Test
    void whatTheDriverDoesNotSendIsNotApplied() {
        RedisClient driver = RedisClient.create(RedisURI.create(Servers.shared().uri()));
        try (driver) {
            driver.setOptions(ClientOptions.builder().autoReconnect(false).build());
            StatefulRedisConnection<String, String> connection = driver.connect();
            var unused = connection.async().quit();
            Await.until("the connection has ended", () -> !connection.isOpen());
            Throwable unsent = catchThrowable(() -> connection.sync().ping());
            assertThat(new RedisFailures(RedisAddress.parse("redis://host"))
                            .request("ping", unsent)
                            .effect())
                    .isEqualTo(StoreException.Effect.NOT_APPLIED);
        }
    }

    @Test
    void doubtsThatAServerIsRedisOnlyBeforeItHasAnswered() {
        RedisFailures failures = new RedisFailures(RedisAddress.parse("redis://host"));
        IOException reset = new IOException("Connection reset by peer");
        assertThat(failures.unreachable("acquire 'n'", reset)).hasMessageContaining("it does not answer like Redis");
        failures.answered();
        assertThat(failures.unreachable("acquire 'n'", reset))
                .hasMessageContaining("acquire 'n': the connection was closed before an answer; check the server");
    }

    static Stream<Arguments> failuresOfAConnect() {
        return Stream.of(
                arguments(new RedisCommandExecutionException("LOADING Redis is loading the dataset in memory"), true),
                arguments(new RedisCommandExecutionException("ERR max number of clients reached"), true),
                arguments(new IOException("Connection reset by peer"), true),
                arguments(new IOException("Connection closed prematurely"), true),
                arguments(new RedisCommandExecutionException("WRONGPASS invalid username-password pair"), false),
                arguments(new RedisCommandExecutionException("ERR unknown command 'HELLO'"), false),
                arguments(new ConnectException("Connection refused"), false),
                arguments(new ConnectException("Connection timed out"), false),
                arguments(new UnknownHostException("redis.example.com"), false),
                arguments(new SSLException("not an SSL/TLS record"), false),
                arguments(new TimeoutException(), false),
                arguments(new RedisProtocolException("Invalid first byte: 72"), false));
    }

    @ParameterizedTest
    @MethodSource("failuresOfAConnect")
    void connectsAgainAfterAFailureThatMayPass(Exception failure, boolean mayPass) {
        RedisFailures failures = new RedisFailures(RedisAddress.parse("redis://host"));
        assertThat(failures.mayPass(new IllegalStateException(failure))).isEqualTo(mayPass);
        failures.answered();
        assertThat(failures.mayPass(failure))
                .as("a server that has answered is being started again")
                .isEqualTo(mayPass || NothingListens.isCauseOf(failure));
    }
}
