package io.holdfast.mongodb.record;

import com.mongodb.client.MongoDatabase;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.bson.Document;

/** The check that a client is not connected to a router of a sharded cluster. It passes before the first request of the client. */
final class RouterCheck {

    private final MongoDatabase database;
    private final Failures failures;
    private volatile boolean passed;

    RouterCheck(MongoDatabase database, Failures failures) {
        this.database = database;
        this.failures = failures;
    }

    /**
     * Connects, unless the check has passed before.
     *
     * @throws StoreException if the server is a router, or cannot be reached
     */
    void require() {
        if (!passed) {
            pass(database);
        }
    }

    /** As {@link #require()}, and waits for the given time at most. */
    void require(Duration atMost) {
        if (!passed) {
            pass(database.withTimeout(atMost.toMillis(), TimeUnit.MILLISECONDS));
        }
    }

    private void pass(MongoDatabase asked) {
        refuseRouter(failures.reading("connect", () -> asked.runCommand(new Document("isMaster", 1))));
        passed = true;
    }

    private void refuseRouter(Document answer) {
        if ("isdbgrid".equals(answer.get("msg"))) {
            throw new StoreException(
                    Effect.REFUSED,
                    failures.address()
                            + ": this is a router of a sharded cluster, and each router has a clock of its own; use a"
                            + " replica set for locks");
        }
    }
}
