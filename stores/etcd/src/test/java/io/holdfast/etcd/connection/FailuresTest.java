package io.holdfast.etcd.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.support.NothingListens;
import java.net.ConnectException;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("everywhere")
class FailuresTest {

    private final Failures failures = new Failures("etcd at here");

    private StoreException of(Status status) {
        return failures.of("write 'n'", new CompletionException(status.asRuntimeException()));
    }

    @ParameterizedTest
    @CsvSource({
        "UNAVAILABLE, etcdserver: request timed out, UNKNOWN, etcdserver: request timed out",
        "UNAVAILABLE, etcdserver: leader changed, UNKNOWN, etcdserver: leader changed",
        "UNKNOWN, context deadline exceeded, UNKNOWN, context deadline exceeded",
        "DEADLINE_EXCEEDED, after 3 s, UNKNOWN, there was no answer in time",
        "CANCELLED, Channel shutdownNow invoked, UNKNOWN, the connection was given up",
        "NOT_FOUND, etcdserver: requested lease not found, NOT_APPLIED, etcdserver: requested lease not found",
        "RESOURCE_EXHAUSTED, etcdserver: too many requests, NOT_APPLIED, etcdserver: too many requests",
        "RESOURCE_EXHAUSTED, etcdserver: mvcc: database space exceeded, UNKNOWN, the database of the servers is full",
        "UNAUTHENTICATED, etcdserver: invalid auth token, NOT_APPLIED, etcdserver: invalid auth token",
        "INVALID_ARGUMENT, etcdserver: revision of auth store is old, NOT_APPLIED, etcdserver: revision of auth store",
        "INVALID_ARGUMENT, etcdserver: user name is empty, REFUSED, the servers require a user and password",
        "INVALID_ARGUMENT, etcdserver: authentication failed, REFUSED, the servers refuse the user and password",
        "PERMISSION_DENIED, etcdserver: permission denied, REFUSED, the role of the user does not allow it",
        "UNIMPLEMENTED, unknown method, REFUSED, the servers are too old",
        "INVALID_ARGUMENT, etcdserver: request is too large, REFUSED, etcdserver: request is too large"
    })
    void aFailureSaysWhetherTheRequestMayHaveBeenApplied(
            Status.Code code, String description, Effect effect, String text) {
        StoreException failure = of(code.toStatus().withDescription(description));
        assertThat(failure.effect()).isEqualTo(effect);
        assertThat(failure).hasMessageStartingWith("etcd at here: write 'n': " + text);
    }

    @Test
    void aRequestThatFoundNoServerWasNotApplied() {
        StoreException failure = of(Status.UNAVAILABLE
                .withDescription("io exception")
                .withCause(new IllegalStateException(new ConnectException("Connection refused"))));
        assertThat(failure.effect()).isEqualTo(Effect.NOT_APPLIED);
        assertThat(failure).hasMessageEndingWith(NothingListens.TEXT);
    }

    @Test
    void aKnownFailureIsKept() {
        StoreException known = failures.notConnected("closed");
        assertThat(failures.of("write", new CompletionException(known))).isSameAs(known);
    }
}
