package io.holdfast.etcd.connection;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.Event;
import io.etcd.jetcd.api.WatchCreateRequest;
import io.etcd.jetcd.api.WatchRequest;
import io.etcd.jetcd.api.WatchResponse;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.holdfast.spi.Platform;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The messages to one session, and the end of its key. One watch delivers both.
 *
 * <p>A watch that has failed is made again, from the first revision that was not delivered. So nothing is missed, unless the servers
 * have dropped that revision meanwhile (compaction), which is reported. The heartbeats of the session arrive, too, so a watch that
 * has become silent is found out.
 */
final class Inbox {

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    /** The pause after a watch that delivered nothing. */
    private static final long LONG_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final Logger LOG = LoggerFactory.getLogger(Inbox.class);

    /** Receives what the watch delivers, on a thread of Netty. Does not block. */
    interface Receiver {

        /**
         * Receives a message.
         *
         * @param revision the revision of the write that sent it
         */
        void received(String text, long revision);

        /** Is notified that messages may be missing. */
        void missed();

        /** Is notified that the key of the session was deleted. */
        void ended();
    }

    private final Servers servers;
    private final Platform platform;
    private final Platform.Timer timer;
    private final Keys keys;
    private final String session;
    private final Receiver receiver;
    private final AtomicBoolean warned = new AtomicBoolean();
    private final ReentrantLock mutex = new ReentrantLock();

    // ---- guarded by the mutex

    /** The first revision that was not delivered. */
    private long next;

    /** The watch; another one is made when it has ended. */
    private @Nullable Watch present;

    private boolean closed;

    /** Those that wait for the delivery of a revision. */
    private final TreeMap<Long, List<CompletableFuture<Void>>> waiting = new TreeMap<>();

    /**
     * Creates an inbox.
     *
     * @param from the first revision to deliver
     */
    Inbox(
            Servers servers,
            Platform platform,
            Platform.Timer timer,
            Keys keys,
            String session,
            long from,
            Receiver receiver) {
        this.servers = servers;
        this.platform = platform;
        this.timer = timer;
        this.keys = keys;
        this.session = session;
        this.receiver = receiver;
        next = from;
    }

    /** Makes a watch, which replaces the present one. */
    void open() {
        Watch fresh;
        mutex.lock();
        try {
            if (closed) {
                return;
            }
            Watch before = present;
            fresh = new Watch(servers.present(), platform.nanoTime(), next);
            present = fresh;
            if (before != null) {
                before.cancel();
            }
        } finally {
            mutex.unlock();
        }
        fresh.start();
    }

    private boolean isPresent(Watch watch) {
        mutex.lock();
        try {
            return present == watch;
        } finally {
            mutex.unlock();
        }
    }

    /** Returns {@code true} if everything up to a revision was delivered. */
    boolean hasDelivered(long revision) {
        mutex.lock();
        try {
            return next > revision;
        } finally {
            mutex.unlock();
        }
    }

    /** Completes when everything up to a revision was delivered. */
    CompletionStage<Void> delivered(long revision) {
        CompletableFuture<Void> delivery = new CompletableFuture<>();
        mutex.lock();
        try {
            if (next > revision) {
                return CompletableFuture.completedStage(null);
            }
            waiting.computeIfAbsent(revision, number -> new ArrayList<>()).add(delivery);
        } finally {
            mutex.unlock();
        }
        return delivery.minimalCompletionStage();
    }

    /** Notes that everything before a revision was delivered. */
    private void deliveredBefore(long revision) {
        List<CompletableFuture<Void>> over = new ArrayList<>();
        mutex.lock();
        try {
            next = Math.max(next, revision);
            Map<Long, List<CompletableFuture<Void>>> done = waiting.headMap(next);
            done.values().forEach(over::addAll);
            done.clear();
        } finally {
            mutex.unlock();
        }
        over.forEach(each -> each.complete(null));
    }

    /** Ends the watch. */
    void close() {
        mutex.lock();
        try {
            closed = true;
            if (present != null) {
                present.cancel();
            }
        } finally {
            mutex.unlock();
        }
    }

    /** One watch, on one connection. */
    private final class Watch implements StreamObserver<WatchResponse> {

        private final Link link;
        private final long began;
        private final long from;
        private final CompletableFuture<ClientCallStreamObserver<WatchRequest>> requests = new CompletableFuture<>();
        private volatile boolean answered;

        Watch(Link link, long began, long from) {
            this.link = link;
            this.began = began;
            this.from = from;
        }

        void start() {
            ByteString first = keys.ofSession(session);
            WatchRequest create = WatchRequest.newBuilder()
                    .setCreateRequest(WatchCreateRequest.newBuilder()
                            .setKey(first)
                            .setRangeEnd(Keys.endOf(first))
                            .setStartRevision(from)
                            .setProgressNotify(true))
                    .build();
            link.watch(this).whenComplete((stream, error) -> {
                if (error != null) {
                    onError(error);
                } else {
                    stream.onNext(create);
                    requests.complete(stream);
                }
            });
        }

        void cancel() {
            var unused = requests.thenAccept(stream -> stream.cancel("the watch is replaced", null));
        }

        @Override
        public void onNext(WatchResponse response) {
            if (!isPresent(this)) {
                return;
            }
            if (response.getCanceled()) {
                canceled(response);
                return;
            }
            answered = true;
            int events = response.getEventsCount();
            response.getEventsList().forEach(this::deliver);
            if (events > 0) {
                // more events of earlier revisions than that of the header may follow
                deliveredBefore(response.getEvents(events - 1).getKv().getModRevision() + 1);
            } else if (!response.getCreated()) {
                deliveredBefore(response.getHeader().getRevision() + 1);
            }
        }

        private void canceled(WatchResponse response) {
            if (response.getCompactRevision() > 0) {
                LOG.warn("messages of the session {} were dropped by a compaction", session);
                deliveredBefore(response.getCompactRevision());
                receiver.missed();
            } else if (!warned.getAndSet(true)) {
                LOG.warn(
                        "the servers refuse to send messages to the session {}: {}; every hand-over waits for a poll",
                        session,
                        response.getCancelReason());
            }
            cancel();
            onError(Status.CANCELLED.withDescription(response.getCancelReason()).asRuntimeException());
        }

        private void deliver(Event event) {
            ByteString key = event.getKv().getKey();
            boolean deleted = event.getType() == Event.EventType.DELETE;
            if (key.equals(keys.session(session)) && deleted) {
                receiver.ended();
            } else if (key.startsWith(keys.messages(session)) && !deleted) {
                receiver.received(
                        event.getKv().getValue().toStringUtf8(), event.getKv().getModRevision());
            }
        }

        @Override
        public void onError(Throwable error) {
            if (isPresent(this)) {
                LOG.debug("a watch has ended; making another one", error);
                timer.schedule(answered ? PAUSE_NANOS : LONG_PAUSE_NANOS, () -> {
                    if (isPresent(this)) {
                        open();
                    }
                });
                servers.failed(link, began, error);
            }
        }

        @Override
        public void onCompleted() {
            onError(Status.CANCELLED
                    .withDescription("the server has ended the watch")
                    .asRuntimeException());
        }
    }
}
