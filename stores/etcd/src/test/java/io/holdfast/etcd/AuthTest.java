package io.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.AuthEnableRequest;
import io.etcd.jetcd.api.AuthGrpc;
import io.etcd.jetcd.api.AuthRoleAddRequest;
import io.etcd.jetcd.api.AuthRoleGrantPermissionRequest;
import io.etcd.jetcd.api.AuthUserAddRequest;
import io.etcd.jetcd.api.AuthUserGrantRoleRequest;
import io.etcd.jetcd.api.Permission;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.StoreClient;
import io.holdfast.testservers.EtcdServers;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A server that knows users, one of whom may use the keys of Holdfast. Its tokens end early. */
@Tag("etcd")
class AuthTest {

    /** For how long a client tries to connect, unless it is refused. */
    private static final Duration LIMIT = Duration.ofMinutes(1);

    private static EtcdServers ensemble;

    @BeforeAll
    static void start() {
        ensemble = new EtcdServers(1);
        AuthGrpc.AuthBlockingStub auth = AuthGrpc.newBlockingStub(ensemble.channel(0));
        addUser(auth, "root", "root");
        addUser(auth, "app", "locks");
        addUser(auth, "stranger", "none");
        var unused = auth.roleGrantPermission(AuthRoleGrantPermissionRequest.newBuilder()
                .setName("locks")
                .setPerm(Permission.newBuilder()
                        .setPermType(Permission.Type.READWRITE)
                        .setKey(ByteString.copyFromUtf8("holdfast/"))
                        .setRangeEnd(ByteString.copyFromUtf8("holdfast0")))
                .build());
        var enabled = auth.authEnable(AuthEnableRequest.getDefaultInstance());
        assertThat(enabled.hasHeader()).isTrue();
    }

    private static void addUser(AuthGrpc.AuthBlockingStub auth, String user, String role) {
        var added = auth.userAdd(AuthUserAddRequest.newBuilder()
                .setName(user)
                .setPassword("p@ss")
                .build());
        var created = auth.roleAdd(AuthRoleAddRequest.newBuilder().setName(role).build());
        var granted = auth.userGrantRole(AuthUserGrantRoleRequest.newBuilder()
                .setUser(user)
                .setRole(role)
                .build());
        assertThat(added.hasHeader() && created.hasHeader() && granted.hasHeader())
                .isTrue();
    }

    @AfterAll
    static void end() {
        ensemble.close();
    }

    private static StoreClient client(String login) {
        return new StoreClient(
                new EtcdStoreProvider(),
                "etcd://" + login + ensemble.servers() + "?session=5s",
                config -> config.withTimeouts(config.commandTimeout(), LIMIT));
    }

    @Test
    void aUserWithTheRightsIsServed() {
        try (StoreClient client = client("app:p%40ss@")) {
            client.granted("allowed", 1);
            Await.reply(client.store().confirmSignals());
            assertThat(client.release("allowed", 1).held()).isTrue();
        }
    }

    /** The server forgets its tokens when it is started again. */
    @Test
    void anotherTokenIsTakenWhenTheServersForgetOne() {
        try (StoreClient client = client("app:p%40ss@")) {
            client.granted("forgotten", 1);
            ensemble.kill(0);
            ensemble.start(0);
            BooleanSupplier released = () -> {
                try {
                    return client.release("forgotten", 1).held();
                } catch (StoreException e) {
                    assertThat(e.effect()).as(e.getMessage()).isNotEqualTo(Effect.REFUSED);
                    return false;
                }
            };
            Await.until("it is released", released);
        }
    }

    @Test
    void theReasonOfARefusalIsToldAtOnce() {
        long start = System.nanoTime();
        assertThatThrownBy(() -> client("").close())
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("the servers require a user and password");
        assertThatThrownBy(() -> client("app:wrong@").close())
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("the servers refuse the user and password")
                .hasMessageNotContaining("wrong@");
        assertThatThrownBy(() -> client("stranger:p%40ss@").close())
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("the role of the user does not allow it");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(LIMIT.dividedBy(2));
    }
}
