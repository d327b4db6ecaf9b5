package io.holdfast.mongodb;

import io.holdfast.Holdfast;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.cluster.Cluster;
import io.holdfast.testkit.cluster.JavaCommand;
import io.holdfast.testkit.crowd.FaultRounds;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Faults of a server that speaks the protocol of MongoDB, and forgets everything when it ends. */
@Tag("night")
@Timeout(3_600)
class MongoCrowdTest {

    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Duration RECOVERY = Duration.ofSeconds(30);

    private enum Fault {
        /** The server is stopped for longer than a lease. */
        SERVER_STOPPED,
        /** A process that holds a lock is killed. */
        CLIENT_KILLED
    }

    private static final class Server extends Cluster {

        Server() {
            super(folder(), 1, 1);
            start(0);
            Await.until("it serves", () -> leads(0));
        }

        private static Path folder() {
            try {
                return Files.createTempDirectory("holdfast-mongodb");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public String uri(Duration session) {
            return "mongodb://" + servers() + "/crowd";
        }

        @Override
        public void start(int server) {
            start(server, JavaCommand.of(ServerMain.class, "" + port(server)));
        }

        @Override
        protected boolean leads(int server) {
            try (Holdfast client = Holdfast.connect(uri(LEASE))) {
                return client.list("").isEmpty();
            } catch (StoreUnavailableException e) {
                return false;
            }
        }
    }

    @Test
    void noPromiseIsBroken() throws Exception {
        try (Server server = new Server()) {
            String uri = server.uri(LEASE);
            new FaultRounds(uri, uri, LEASE, RECOVERY).run(Fault.class, (fault, crowd) -> {
                switch (fault) {
                    case SERVER_STOPPED -> {
                        server.pause(0);
                        crowd.work(LEASE.plusSeconds(1));
                        server.resume(0);
                    }
                    case CLIENT_KILLED -> crowd.killOne();
                }
            });
        }
    }
}
