package io.holdfast.jdbc.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.jdbc.LoadedDrivers;
import io.holdfast.jdbc.Views;
import io.holdfast.jdbc.sql.H2;
import io.holdfast.jdbc.sql.Tables;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The pool of a client that has opened its connections itself. */
@ExtendWith(LoadedDrivers.class)
class OwnedPoolTest {

    private static final int ROUND_TRIP_MILLIS = 400;
    private static final long TIMEOUT_MILLIS = 2_250;

    /** HikariCP validates a connection that was not used for half a second. */
    private static final long IDLE_MILLIS = 600;

    private final AtomicInteger opened = new AtomicInteger();
    private final AtomicInteger validated = new AtomicInteger();
    private final AtomicInteger networkMillis = new AtomicInteger();
    private final H2 dialect = new H2(Tables.DEFAULT);
    private final Opener opener = new Opener(Opener.daemons("owned-opener"), 5_000, () -> "");
    private final Source source = new Source(this::slow, dialect, 2_000, opener);
    private final OwnedPool pool = new OwnedPool("owned", source, dialect, Opener.daemons("owned"), TIMEOUT_MILLIS);

    @AfterEach
    void close() {
        pool.close();
        source.closeConnections(Runnable::run).join();
        opener.close();
    }

    /** A connection to a server that is far away, as the driver of PostgreSQL sees it: the network timeout limits its validation. */
    private Connection slow() throws SQLException {
        opened.incrementAndGet();
        Connection real = DriverManager.getConnection("jdbc:h2:mem:");
        return Views.of(real, (method, arguments, call) -> switch (method) {
            case "setNetworkTimeout" -> {
                networkMillis.set((int) arguments[1]);
                yield null;
            }
            case "getNetworkTimeout" -> networkMillis.get();
            case "isValid" -> {
                validated.incrementAndGet();
                yield networkMillis.get() == 0 || networkMillis.get() > ROUND_TRIP_MILLIS;
            }
            default -> call.run();
        });
    }

    @Test
    void keepsAnIdleConnectionWhoseServerAnswersSlowly() throws Exception {
        pool.release(pool.get(), false);
        int before = opened.get();
        TimeUnit.MILLISECONDS.sleep(IDLE_MILLIS);
        int asked = validated.get();

        pool.release(pool.get(), false);

        assertThat(validated.get()).as("validations").isGreaterThan(asked);
        assertThat(opened.get()).as("connections").isEqualTo(before);
    }
}
