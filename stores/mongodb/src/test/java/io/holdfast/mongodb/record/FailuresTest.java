package io.holdfast.mongodb.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoCredential;
import com.mongodb.MongoException;
import com.mongodb.MongoInterruptedException;
import com.mongodb.MongoOperationTimeoutException;
import com.mongodb.MongoSecurityException;
import com.mongodb.MongoSocketException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.ServerAddress;
import com.mongodb.bulk.BulkWriteResult;
import com.mongodb.bulk.WriteConcernError;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import java.util.List;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("everywhere")
class FailuresTest {

    private final Failures failures = new Failures("MongoDB at here");

    private static MongoException command(int code) {
        return new MongoCommandException(
                new BsonDocument("ok", new BsonInt32(0))
                        .append("code", new BsonInt32(code))
                        .append("errmsg", new BsonString("said the server")),
                new ServerAddress());
    }

    @ParameterizedTest
    @CsvSource({
        "10107, UNKNOWN",
        "13435, UNKNOWN",
        "13, REFUSED",
        "18, REFUSED",
        "8000, REFUSED",
        "11600, UNKNOWN",
        "11602, UNKNOWN",
        "91, UNKNOWN",
        "189, UNKNOWN",
        "50, UNKNOWN",
        "64, UNKNOWN"
    })
    void aCodeOfTheServerSaysWhetherTheRequestMayHaveBeenApplied(int code, Effect effect) {
        assertThat(failures.of("write", command(code)).effect()).isEqualTo(effect);
    }

    private Effect login(Throwable cause) {
        MongoCredential credential = MongoCredential.createCredential("app", "admin", new char[0]);
        return failures.of("write", new MongoSecurityException(credential, "Exception authenticating", cause))
                .effect();
    }

    @Test
    void aLoginIsRefusedOnlyByTheServer() {
        assertThat(login(command(18))).isEqualTo(Effect.REFUSED);
        assertThat(login(command(8_000))).isEqualTo(Effect.REFUSED);
        assertThat(login(command(11_600))).as("the server ends").isEqualTo(Effect.NOT_APPLIED);
        assertThat(login(new MongoSocketException("reset", new ServerAddress())))
                .as("the connection breaks")
                .isEqualTo(Effect.NOT_APPLIED);
    }

    @Test
    void aTimeoutBeforeTheRequestWasSentChangedNothing() {
        assertThat(failures.of("write", new MongoTimeoutException("Timed out after 30 ms while waiting for a server"))
                        .effect())
                .isEqualTo(Effect.NOT_APPLIED);
        assertThat(failures.of(
                                "write",
                                new MongoOperationTimeoutException(
                                        "Timed out while waiting for a server that matches WritableServerSelector"))
                        .effect())
                .isEqualTo(Effect.NOT_APPLIED);
    }

    /** The driver has tried again until the time was over. */
    @Test
    void aRepeatedTimeoutBeforeTheRequestWasSentChangedNothing() {
        MongoException first = new MongoTimeoutException("Timed out after 30 ms while waiting for a server");
        assertThat(failures.of("write", new MongoOperationTimeoutException("Retry attempt timed out.", first))
                        .effect())
                .isEqualTo(Effect.NOT_APPLIED);
    }

    @Test
    void aTimeoutAfterTheRequestWasSentIsUnknown() {
        StoreException failure =
                failures.of("write", new MongoOperationTimeoutException("Operation exceeded the timeout limit"));
        assertThat(failure.effect()).isEqualTo(Effect.UNKNOWN);
        assertThat(failure).hasMessageStartingWith("MongoDB at here: write: there was no answer in time");
        assertThat(failures.of("write", new MongoSocketException("reset", new ServerAddress()))
                        .effect())
                .isEqualTo(Effect.UNKNOWN);
    }

    @Test
    void aBulkWriteThatAMajorityDidNotConfirmIsUnknown() {
        StoreException failure = failures.of(
                "write",
                new MongoBulkWriteException(
                        BulkWriteResult.unacknowledged(),
                        List.of(),
                        new WriteConcernError(64, "WriteConcernFailed", "waiting timed out", new BsonDocument()),
                        new ServerAddress(),
                        Set.of()));
        assertThat(failure.effect()).isEqualTo(Effect.UNKNOWN);
        assertThat(failure).hasMessageContaining("a majority of the servers did not confirm the write in time");
    }

    @Test
    void aReadThatHasNoAnswerChangedNothing() {
        assertThatThrownBy(() -> failures.reading("read", () -> {
                    throw new MongoSocketException("reset", new ServerAddress());
                }))
                .isInstanceOfSatisfying(
                        StoreException.class,
                        failure -> assertThat(failure.effect()).isEqualTo(Effect.NOT_APPLIED));
    }

    @Test
    void anInterruptIsKept() {
        assertThatThrownBy(() -> failures.calling("write", () -> {
                    throw new MongoInterruptedException("interrupted", new InterruptedException());
                }))
                .isInstanceOfSatisfying(
                        StoreException.class,
                        failure -> assertThat(failure.effect()).isEqualTo(Effect.UNKNOWN));
        assertThat(Thread.interrupted()).isTrue();
    }
}
