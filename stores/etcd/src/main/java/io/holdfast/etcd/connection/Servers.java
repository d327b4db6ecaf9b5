package io.holdfast.etcd.connection;

import io.grpc.Status;
import io.grpc.Status.Code;
import io.holdfast.spi.Platform;
import io.holdfast.support.Stages;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The servers, of which this client uses one at a time.
 *
 * <p>When that server cannot be reached, has no leader, or is silent, the client uses the next one. What is under way then ends
 * with an unknown outcome. A server is silent if a call got no answer in time, and no later call has got one either.
 */
final class Servers {

    private static final Logger LOG = LoggerFactory.getLogger(Servers.class);

    private final Settings settings;
    private final Platform platform;
    private final Duration limit;
    private final Runnable onDown;
    private final Runnable onUp;
    private final AtomicBoolean up = new AtomicBoolean(true);
    private final ReentrantLock mutex = new ReentrantLock();

    // ---- written under the mutex

    private int next;
    private volatile Link present;
    private boolean closed;

    /** Why the last attempt to make a connection has failed; empty if it has not. */
    private String obstacle = "";

    /**
     * Creates the servers, the first of which is a random one.
     *
     * @param limit the maximum time of each call
     * @param onDown is notified when the present server fails
     * @param onUp is notified when a server answers again
     */
    Servers(Settings settings, Platform platform, Duration limit, Runnable onDown, Runnable onUp) {
        this.settings = settings;
        this.platform = platform;
        this.limit = limit;
        this.onDown = onDown;
        this.onUp = onUp;
        next = Math.floorMod((int) platform.randomLong(), settings.servers().size());
        present = new Link(settings, settings.servers().get(next), platform, limit);
    }

    Link present() {
        return present;
    }

    /** Asks the present server. */
    <A> CompletionStage<A> ask(Function<Link, CompletionStage<A>> question) {
        Link asked = present;
        long sent = platform.nanoTime();
        return question.apply(asked).whenComplete((answer, error) -> {
            if (error != null) {
                failed(asked, sent, error);
            } else if (!up.get() && up.compareAndSet(false, true)) {
                onUp.run();
            }
        });
    }

    /** Uses the next server if a failure shows that this one is of no use. */
    void failed(Link asked, long sent, Throwable error) {
        if (isOfServer(asked, sent, error) && replace(asked)) {
            asked.close();
            if (up.compareAndSet(true, false)) {
                onDown.run();
            }
        }
    }

    private boolean replace(Link failed) {
        mutex.lock();
        try {
            if (present != failed || closed) {
                return false;
            }
            next = (next + 1) % settings.servers().size();
            present = new Link(settings, settings.servers().get(next), platform, limit);
            obstacle = "";
            return true;
        } catch (IllegalArgumentException e) {
            warn(String.valueOf(e.getMessage()));
            return false;
        } finally {
            mutex.unlock();
        }
    }

    /** Warns once of what keeps a connection from being made. */
    private void warn(String why) {
        if (!obstacle.equals(why)) {
            LOG.warn("{}: no new connection, trying again with each failure: {}", settings.address(), why);
            obstacle = why;
        }
    }

    private static boolean isOfServer(Link asked, long sent, Throwable error) {
        Status status = Status.fromThrowable(Stages.cause(error));
        boolean silent = status.getCode() == Code.DEADLINE_EXCEEDED && !asked.hasAnsweredSince(sent);
        boolean broken = status.getCode() == Code.UNAVAILABLE || status.getCode() == Code.INTERNAL;
        return silent || broken || asked.needsAnotherLogIn(status);
    }

    /** Ends all calls. */
    void close() {
        mutex.lock();
        try {
            closed = true;
        } finally {
            mutex.unlock();
        }
        present.close();
    }
}
