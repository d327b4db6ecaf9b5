package io.holdfast.internal;

import io.holdfast.LockEvent;
import io.holdfast.LockListener;
import io.holdfast.spi.Platform;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells listeners and the log. Never blocks who reports. */
final class Events implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger("io.holdfast");
    private static final int QUEUED_AT_MOST = 1_000;
    private static final long WARN_EVERY_NANOS = 60_000_000_000L;
    private static final int WARN_KEYS_AT_MOST = 10_000;

    private record Muted(long until, int count) {}

    private final Platform platform;
    private final Platform.Worker worker;
    private final Platform.Worker log;
    private final AtomicLong swept;
    private final String client;
    private final List<LockListener> listeners;
    private final AtomicInteger queued = new AtomicInteger();
    final LongAdder dropped = new LongAdder();
    private final Map<String, Muted> muted = new ConcurrentHashMap<>();

    Events(Platform platform, String name, String id, List<LockListener> listeners) {
        this.platform = platform;
        this.worker = platform.worker("holdfast-" + name + "-events", 1);
        this.log = platform.worker("holdfast-" + name + "-log", 1);
        this.swept = new AtomicLong(platform.nanoTime());
        this.client = name + " (" + id + ")";
        this.listeners = new CopyOnWriteArrayList<>(listeners);
    }

    void add(LockListener listener) {
        listeners.add(listener);
    }

    void remove(LockListener listener) {
        listeners.remove(listener);
    }

    /** Whether anybody wants to hear of each grant and release. */
    boolean detailed() {
        return !listeners.isEmpty() || LOG.isDebugEnabled();
    }

    void detail(LockEvent event) {
        LOG.debug("{}: {}", client, event);
        publish(event);
    }

    /** Warns with a text that ends in what to do, at most once a minute for the key and kind. */
    void warn(LockEvent event, String todo) {
        warn(event.getClass().getSimpleName() + event.lockName(), "{}: {}; {}", event, todo);
        publish(event);
    }

    /** Warns of a name whose release the store has not confirmed at the end. */
    void warnUnsettled(String name, Instant lapses) {
        LOG.warn(
                "{}: closed before the release of lock '{}' was confirmed; its lease ends at {}: until then it may look held",
                client,
                name,
                lapses);
    }

    void info(String text) {
        LOG.info("{}: {}", client, text);
    }

    /** Logs an error of code that is not ours, or of the engine itself, and goes on. */
    void failure(String what, Throwable error) {
        LOG.error("{}: {} failed: {}", client, what, error.toString(), error);
    }

    void publish(LockEvent event) {
        if (listeners.isEmpty()) {
            return;
        }
        if (queued.incrementAndGet() > QUEUED_AT_MOST) {
            queued.decrementAndGet();
            dropped.increment();
            warn("dropped", "{}: {} was dropped: listeners are slower than events; {}", event, "make them faster");
            return;
        }
        worker.execute(() -> deliver(event));
    }

    private void deliver(LockEvent event) {
        queued.decrementAndGet();
        for (LockListener listener : listeners) {
            try {
                listener.onEvent(event);
            } catch (RuntimeException e) {
                failure("listener " + listener, e);
            }
        }
    }

    /** Decides at once, and logs on a thread of its own: a slow log holds up no deadline. */
    private void warn(String key, String format, Object what, String todo) {
        long now = platform.nanoTime();
        sweep(now);
        int[] more = {-1};
        muted.compute(muted.size() < WARN_KEYS_AT_MOST ? key : format, (k, before) -> {
            boolean silent = before != null && now - before.until < 0;
            more[0] = silent ? -1 : before == null ? 0 : before.count;
            return silent ? new Muted(before.until, before.count + 1) : new Muted(now + WARN_EVERY_NANOS, 0);
        });
        if (more[0] >= 0) {
            log.execute(() -> LOG.warn(format + more(more[0]), client, what, todo));
        }
    }

    /** Forgets, once a minute, what was not muted in it. */
    private void sweep(long now) {
        long last = swept.get();
        if (now - last >= WARN_EVERY_NANOS && swept.compareAndSet(last, now)) {
            muted.values().removeIf(m -> now - m.until >= 0 && m.count == 0);
        }
    }

    private static String more(int count) {
        return count == 0 ? "" : " (and " + count + " more like this in the last minute)";
    }

    @Override
    public void close() {
        worker.close();
        log.close();
    }
}
