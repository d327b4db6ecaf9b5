package io.holdfast.internal.engine;

import io.holdfast.LockEvent;
import io.holdfast.LockListener;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Share;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The events of one client, which are passed to listeners and written to the log.
 *
 * <p>Listeners run on a thread of their own. Warnings are written on another thread, except those of the close. So neither a
 * slow listener nor a slow log delays a deadline. If listeners are too slow, events are dropped and counted. Most lines of
 * other levels are written on the calling thread.
 */
public final class Events implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger("io.holdfast");
    private static final int MAX_QUEUED = 1_000;

    private final Platform.Worker worker;
    private final Platform.Worker log;
    private final String client;
    private final List<LockListener> listeners;
    private final AtomicInteger queued = new AtomicInteger();
    public final LongAdder dropped = new LongAdder();
    private final Warnings warnings;

    /**
     * Creates the events of one client.
     *
     * @param timer the timer, whose thread is already started
     */
    public Events(Platform platform, String name, String id, Platform.Timer timer, List<LockListener> listeners) {
        this.worker = pool(platform, timer, "holdfast-" + name + "-events");
        this.log = pool(platform, timer, "holdfast-" + name + "-log");
        this.client = name + " (" + id + ")";
        this.listeners = new CopyOnWriteArrayList<>(listeners);
        this.warnings = new Warnings(platform, timer, this::warn);
    }

    /** Creates a pool of one thread. It drops tasks that are submitted after its close. */
    private static Platform.Worker pool(Platform platform, Platform.Timer timer, String name) {
        return new Pool(platform, timer, name, 1, dropped -> {});
    }

    public void add(LockListener listener) {
        listeners.add(listener);
    }

    public void remove(LockListener listener) {
        listeners.remove(listener);
    }

    /** Returns {@code true} if each grant and each release has to be reported. */
    boolean detailed() {
        return !listeners.isEmpty() || LOG.isDebugEnabled();
    }

    void detail(Share.Mode mode, LockEvent event) {
        if (LOG.isDebugEnabled()) {
            LOG.debug("{}: {}", client, EventTexts.of(mode, event));
        }
        publish(mode, event);
    }

    /**
     * Raises an event, and adds it to the warnings. All events of one kind within a moment share one line.
     *
     * @param advice the end of the line, which says what to do
     */
    void warn(Share.Mode mode, LockEvent event, String advice) {
        publish(mode, event);
        String sentence = EventTexts.of(mode, event);
        log.execute(() -> LOG.debug("{}: {}", client, sentence));
        String summary = EventTexts.ofMany(mode, event);
        warnings.add(summary, event, sentence, summary, advice);
    }

    /** Writes a warning on a thread of its own, so that a slow log delays no deadline. */
    void warn(String text) {
        log.execute(() -> LOG.warn("{}: {}", client, text));
    }

    /** Warns that a release was not confirmed by the store before the client closed. */
    public void warnUnsettled(String label, Instant leaseEnd) {
        LOG.warn(
                "{}: closed before the release of {} was confirmed; its lease ends at {}: until then it may appear held",
                client,
                label,
                leaseEnd);
    }

    public void info(String text) {
        LOG.info("{}: {}", client, text);
    }

    /** Logs an error of the engine, or of code that is not part of the library. It never throws. */
    public void failure(String what, Throwable error) {
        try {
            LOG.error("{}: {} failed: {}", client, what, error.toString(), error);
        } catch (Throwable e) {
            // an error report must not fail its caller, even if the log fails
        }
    }

    private void publish(Share.Mode mode, LockEvent event) {
        if (listeners.isEmpty()) {
            return;
        }
        if (queued.incrementAndGet() > MAX_QUEUED) {
            queued.decrementAndGet();
            dropped.increment();
            warnings.add(
                    "dropped",
                    event,
                    "this event was dropped: " + EventTexts.of(mode, event),
                    "events were dropped",
                    "listeners are slower than events: make them faster");
            return;
        }
        worker.execute(() -> deliver(event));
    }

    private void deliver(LockEvent event) {
        queued.decrementAndGet();
        for (LockListener listener : listeners) {
            try {
                listener.onEvent(event);
            } catch (Throwable e) {
                failure("listener " + listener, e);
            }
        }
    }

    @Override
    public void close() {
        worker.close();
        warnings.flush();
        log.close();
    }
}
