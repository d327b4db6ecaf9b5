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

/** Notifies listeners, and writes the log. Never blocks the caller. */
public final class Events implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger("io.holdfast");
    private static final int QUEUED_AT_MOST = 1_000;

    private final Platform.Worker worker;
    private final Platform.Worker log;
    private final String client;
    private final List<LockListener> listeners;
    private final AtomicInteger queued = new AtomicInteger();
    public final LongAdder dropped = new LongAdder();
    private final Warnings warnings;

    /**
     * The events of one client.
     *
     * @param timer has a thread already
     */
    public Events(Platform platform, String name, String id, Platform.Timer timer, List<LockListener> listeners) {
        this.worker = pool(platform, timer, "holdfast-" + name + "-events");
        this.log = pool(platform, timer, "holdfast-" + name + "-log");
        this.client = name + " (" + id + ")";
        this.listeners = new CopyOnWriteArrayList<>(listeners);
        this.warnings = new Warnings(platform, timer, this::warn);
    }

    /** What comes after the close is dropped. */
    private static Platform.Worker pool(Platform platform, Platform.Timer timer, String name) {
        return new Pool(platform, timer, name, 1, dropped -> {});
    }

    public void add(LockListener listener) {
        listeners.add(listener);
    }

    public void remove(LockListener listener) {
        listeners.remove(listener);
    }

    /** Whether anybody wants to hear of each grant and release. */
    boolean detailed() {
        return !listeners.isEmpty() || LOG.isDebugEnabled();
    }

    void detail(Share.Mode mode, LockEvent event) {
        if (LOG.isDebugEnabled()) {
            LOG.debug("{}: {}", client, EventTexts.of(mode, event));
        }
        publish(mode, event);
    }

    /** Warns with a text that ends in what to do, together with what else of this kind happens in the same moment. */
    void warn(Share.Mode mode, LockEvent event, String todo) {
        publish(mode, event);
        String sentence = EventTexts.of(mode, event);
        log.execute(() -> LOG.debug("{}: {}", client, sentence));
        String many = EventTexts.ofMany(mode, event);
        warnings.add(many, event, sentence, many, todo);
    }

    /** On a thread of its own: a slow log holds up no deadline. */
    void warn(String text) {
        log.execute(() -> LOG.warn("{}: {}", client, text));
    }

    /** Warns of a name whose release the store has not confirmed at the end. */
    public void warnUnsettled(String label, Instant lapses) {
        LOG.warn(
                "{}: closed before the release of {} was confirmed; its lease ends at {}: until then it may look held",
                client,
                label,
                lapses);
    }

    public void info(String text) {
        LOG.info("{}: {}", client, text);
    }

    /** Logs an error of code that is not ours, or of the engine itself, and goes on. */
    public void failure(String what, Throwable error) {
        try {
            LOG.error("{}: {} failed: {}", client, what, error.toString(), error);
        } catch (Throwable e) {
            // whoever reports an error goes on, also when the log fails
        }
    }

    private void publish(Share.Mode mode, LockEvent event) {
        if (listeners.isEmpty()) {
            return;
        }
        if (queued.incrementAndGet() > QUEUED_AT_MOST) {
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
