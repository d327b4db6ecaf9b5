package io.holdfast.mongodb.record;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.MongoConfigurationException;
import com.mongodb.MongoCredential;
import com.mongodb.MongoSecurityException;
import com.mongodb.MongoSocketOpenException;
import com.mongodb.MongoSocketReadTimeoutException;
import com.mongodb.ServerAddress;
import com.mongodb.connection.ClusterConnectionMode;
import com.mongodb.connection.ClusterDescription;
import com.mongodb.connection.ClusterSettings;
import com.mongodb.connection.ClusterType;
import com.mongodb.connection.ServerConnectionState;
import com.mongodb.connection.ServerDescription;
import com.mongodb.connection.ServerSettings;
import com.mongodb.connection.ServerType;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("everywhere")
class ServerStatesTest {

    private static final ServerDescription UNTRIED = unknown().build();
    private static final ServerDescription REFUSING = opening(new ConnectException("Connection refused"));
    private static final ServerDescription CLOSING = opening(new IOException("Connection reset"));
    private static final ServerDescription SECONDARY = unknown()
            .type(ServerType.REPLICA_SET_SECONDARY)
            .state(ServerConnectionState.CONNECTED)
            .ok(true)
            .build();

    private static ServerDescription.Builder unknown() {
        return ServerDescription.builder()
                .address(new ServerAddress("db"))
                .type(ServerType.UNKNOWN)
                .state(ServerConnectionState.CONNECTING);
    }

    private static ServerDescription failing(Throwable error) {
        return unknown().exception(error).build();
    }

    private static ServerDescription opening(IOException error) {
        return failing(new MongoSocketOpenException("Exception opening socket", new ServerAddress("db"), error));
    }

    private static ServerStates states(ServerDescription... servers) {
        return new ServerStates(
                new ClusterDescription(ClusterConnectionMode.MULTIPLE, ClusterType.REPLICA_SET, List.of(servers)));
    }

    private static ServerStates unresolved() {
        return new ServerStates(new ClusterDescription(
                ClusterConnectionMode.MULTIPLE,
                ClusterType.UNKNOWN,
                new MongoConfigurationException("Failed looking up SRV record"),
                List.of(),
                ClusterSettings.builder().build(),
                ServerSettings.builder().build()));
    }

    @Test
    void nothingListensOnlyIfEveryServerRefusesTheConnection() {
        assertThat(states(REFUSING, REFUSING).nothingListens()).isTrue();
        assertThat(states(REFUSING, UNTRIED).nothingListens()).isFalse();
        assertThat(states(REFUSING, CLOSING).nothingListens()).isFalse();
        assertThat(states(REFUSING, SECONDARY).nothingListens()).isFalse();
        assertThat(states().nothingListens()).isFalse();
        assertThat(unresolved().nothingListens()).isFalse();
    }

    @Test
    void isPendingUntilOneServerDoesNotRefuseOrAllDo() {
        assertThat(states().isPending()).as("names are not resolved yet").isTrue();
        assertThat(states(UNTRIED, REFUSING).isPending()).isTrue();
        assertThat(states(UNTRIED, CLOSING).isPending()).isFalse();
        assertThat(states(UNTRIED, SECONDARY).isPending()).isFalse();
        assertThat(states(REFUSING).isPending()).isFalse();
        assertThat(unresolved().isPending()).isFalse();
    }

    @Test
    void theReasonsNameTheLastCauseOfEachServer() {
        assertThat(states(REFUSING, SECONDARY).reasons())
                .isEqualTo("db:27017: nothing listens there; check host and port, and that the server runs; "
                        + "db:27017: it is not the primary");
        assertThat(states(CLOSING).reasons()).isEqualTo("db:27017: java.io.IOException: Connection reset");
        assertThat(states(UNTRIED).reasons()).startsWith("db:27017: no answer in time");
        assertThat(unresolved().reasons()).isEqualTo("Failed looking up SRV record");
    }

    @Test
    void aServerThatDoesNotAnswerIsSilent() {
        MongoSocketReadTimeoutException timeout = new MongoSocketReadTimeoutException(
                "Timeout while receiving message",
                new ServerAddress("db"),
                new SocketTimeoutException("Read timed out"));
        assertThat(states(failing(timeout)).reasons()).startsWith("db:27017: no answer in time");
    }

    @Test
    void theReasonsDoNotNameTheUser() {
        MongoCredential credential = MongoCredential.createCredential("app", "admin", new char[0]);
        MongoSecurityException error = new MongoSecurityException(credential, "Exception authenticating " + credential);
        assertThat(states(failing(error)).reasons()).isEqualTo("db:27017: the log-in was not completed");
    }
}
