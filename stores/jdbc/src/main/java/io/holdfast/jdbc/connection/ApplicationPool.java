package io.holdfast.jdbc.connection;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The pool of an application, as far as it tells about itself. */
public final class ApplicationPool {

    /** A pool of this size leaves no connection for locks while an application uses its own. */
    private static final int SMALL = 2;

    static final String TOO_SMALL =
            "the application's pool lends one or two connections, so locks may be lost while the application uses them; let"
                    + " the locks have a URL or a pool of their own";

    /**
     * The getters of pools for their size and the connections in use: those of Tomcat and of DBCP. They are called as methods,
     * because a pool registers a bean only if its user wants that.
     */
    private static final Map<String, String> GETTERS =
            Map.of("getMaxActive", "getActive", "getMaxTotal", "getNumActive");

    private static final Logger LOG = LoggerFactory.getLogger(ApplicationPool.class);

    private final DataSource source;

    /** The time before which the pool is not emptied again. */
    private final AtomicLong keptUntil = new AtomicLong(System.nanoTime());

    /**
     * Creates the pool of a data source.
     *
     * @param source the data source, which need not have a pool
     */
    public ApplicationPool(DataSource source) {
        this.source = source;
    }

    /** How many of its connections a pool has lent. */
    private record Usage(int used, int size) {

        @Override
        public String toString() {
            return used + " of " + size + " connections are in use";
        }
    }

    /** Returns the end of a text that a connection was not lent. */
    public String explanation() {
        return " from the DataSource; the application's pool "
                + usage().map(usage -> (usage.used() < usage.size() ? "has lent none (" : "is full (") + usage + ")")
                        .orElse("may be full");
    }

    /** Returns {@code true} if the pool is known to be small; empty if its size is not known. */
    Optional<Boolean> isSmall() {
        return usage().map(usage -> usage.size() <= SMALL);
    }

    private Optional<Usage> usage() {
        return hikari().map(pool -> new Usage(used(pool), pool.getMaximumPoolSize()))
                .or(() -> GETTERS.entrySet().stream()
                        .flatMap(each -> number(each.getKey())
                                .flatMap(size -> number(each.getValue()).map(used -> new Usage(used, size)))
                                .stream())
                        // pools have a number below one for no limit
                        .filter(usage -> usage.size() > 0)
                        .findFirst());
    }

    /**
     * Replaces the connections, if the pool can do that, because it would lend one after the other to a server that accepts no writes
     * any more. On average, that replaces one connection in a second at most.
     */
    void leaveServer() {
        hikari().map(HikariDataSource::getHikariPoolMXBean).ifPresent(pool -> {
            long now = System.nanoTime();
            long until = keptUntil.get();
            long pause = TimeUnit.SECONDS.toNanos(pool.getTotalConnections());
            if (now - until >= 0 && keptUntil.compareAndSet(until, now + pause)) {
                pool.softEvictConnections();
            }
        });
    }

    private Optional<HikariDataSource> hikari() {
        try {
            return source.isWrapperFor(HikariDataSource.class)
                    ? Optional.of(source.unwrap(HikariDataSource.class))
                    : Optional.empty();
        } catch (SQLException | RuntimeException e) {
            LOG.debug("the DataSource does not tell what it wraps", e);
            return Optional.empty();
        }
    }

    private static int used(HikariDataSource pool) {
        HikariPoolMXBean started = pool.getHikariPoolMXBean();
        return started == null ? 0 : started.getActiveConnections();
    }

    private Optional<Integer> number(String getter) {
        try {
            return Optional.of((int) MethodHandles.publicLookup()
                    .bind(source, getter, MethodType.methodType(int.class))
                    .invoke());
        } catch (Throwable e) {
            LOG.debug("the DataSource has no {}", getter, e);
            return Optional.empty();
        }
    }
}
