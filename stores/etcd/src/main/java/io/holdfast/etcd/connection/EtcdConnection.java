package io.holdfast.etcd.connection;

import io.holdfast.spi.Platform;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreConfig;
import io.holdfast.support.Mailbox;
import io.holdfast.support.session.Sessions;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;

/** A session that is kept alive, and the messages to it. */
final class EtcdConnection implements Inbox.Receiver {

    /** The number of heartbeats in the life of a session. */
    private static final int HEARTBEATS = 6;

    private final Platform.Timer timer;
    private final Sessions.Receiver receiver;
    private final EtcdSession session;
    private final Inbox inbox;
    private final Mailbox mailbox;
    private volatile boolean closed;

    /** Held while a message is received, because a watch that was replaced may still deliver. */
    private final ReentrantLock receiving = new ReentrantLock();

    /** A time before the message that is being received was sent. Guarded by the lock. */
    private long sentAfter;

    /**
     * Starts to keep a session alive, and to receive its messages.
     *
     * @param from the first revision whose messages are for this session
     */
    EtcdConnection(
            StoreConfig config,
            Platform.Timer timer,
            Sessions.Receiver receiver,
            EtcdSession session,
            Servers servers,
            Keys keys,
            long from) {
        this.timer = timer;
        this.receiver = receiver;
        this.session = session;
        mailbox = new Mailbox(
                config.withClient(config.client(), signal -> receiver.receive(signal, sentAfter), config.describer()),
                timer,
                session::post);
        inbox = new Inbox(servers, config.platform(), timer, keys, session.id(), from, this);
    }

    void start() {
        inbox.open();
        beatLater(session.timeout().toNanos() / HEARTBEATS, 0);
    }

    /**
     * Schedules a heartbeat.
     *
     * @param written the revision of an earlier heartbeat, which was written a whole delay ago
     */
    private void beatLater(long delay, long written) {
        long next = session.beatAt();
        timer.schedule(delay, () -> {
            if (!closed) {
                if (!inbox.hasDelivered(written)) {
                    inbox.open();
                }
                var unused = session.confirm();
                beatLater(delay, next);
            }
        });
    }

    /** Completes when the servers were asked for the session, whatever they have answered. */
    CompletionStage<Void> asked() {
        return session.confirm().exceptionally(failed -> null);
    }

    // ---- messages

    @Override
    public void received(String text, long revision) {
        receiving.lock();
        try {
            sentAfter = session.before(revision);
            mailbox.receive(text, 1);
        } finally {
            receiving.unlock();
        }
    }

    @Override
    public void missed() {
        receiver.receive(new Signal.Gap(), 0);
    }

    @Override
    public void ended() {
        session.end();
    }

    /** Completes when a message of this client to itself has arrived. */
    CompletionStage<Void> confirmSignals() {
        return session.beat().thenCompose(header -> inbox.delivered(header.getRevision()));
    }

    EtcdSession session() {
        return session;
    }

    Mailbox mailbox() {
        return mailbox;
    }

    /** Ends the session. Completes when the servers have answered, or can no longer do so. */
    CompletionStage<Void> close() {
        closed = true;
        inbox.close();
        return session.revoke();
    }
}
