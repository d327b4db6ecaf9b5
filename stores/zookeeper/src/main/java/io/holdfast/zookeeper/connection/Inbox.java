package io.holdfast.zookeeper.connection;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The messages to one session. Each is a node whose name is its text, so the event alone carries it.
 *
 * <p>A watch repeats nothing that happened while the connection was cut. So the inbox is listed after each reconnection. A message
 * is then seen by the event, by the list, or by both, and is received once. Messages that were received are deleted later, many at
 * a time.
 */
final class Inbox {

    /** The number of received messages that are deleted at once, before their time. */
    private static final int MANY = 100;

    private final Requests requests;
    private final String path;
    private final Receiver receiver;
    private final ReentrantLock mutex = new ReentrantLock();

    // ---- guarded by the mutex

    /** The names that were received and are not deleted. */
    private final Set<String> received = new HashSet<>();

    /** The names that are being deleted, each by one request. */
    private final Set<String> deleting = new HashSet<>();

    /** A receiver of messages. */
    interface Receiver {

        /**
         * Receives the text of a message. Does not block.
         *
         * @param before a {@code nanoTime} before the message was sent
         */
        void receive(String text, long before);
    }

    /** Creates an inbox. */
    Inbox(Requests requests, String path, Receiver receiver) {
        this.requests = requests;
        this.path = path;
        this.receiver = receiver;
    }

    boolean contains(String node) {
        return node.startsWith(path + "/");
    }

    /** Receives a message, unless it was received before. */
    void created(String node, long before) {
        String name = node.substring(path.length() + 1);
        boolean many;
        mutex.lock();
        try {
            if (deleting.contains(name) || !received.add(name)) {
                return;
            }
            many = received.size() >= MANY;
        } finally {
            mutex.unlock();
        }
        receiver.receive(Paths.message(node), before);
        if (many) {
            clear();
        }
    }

    /**
     * Receives all messages that have arrived without an event, in the order of their numbers.
     *
     * @param before a {@code nanoTime} before the connection was cut
     */
    CompletionStage<Void> list(long before) {
        return requests.children(path)
                .thenAccept(names -> names.stream()
                        .sorted(Comparator.comparing(name -> name.substring(name.lastIndexOf('-') + 1)))
                        .forEach(name -> created(path + "/" + name, before)));
    }

    /** Deletes the messages that were received. Each is deleted by one request, and again later if that fails. */
    void clear() {
        List<String> names;
        mutex.lock();
        try {
            names = new ArrayList<>(received);
            deleting.addAll(received);
            received.clear();
        } finally {
            mutex.unlock();
        }
        for (String name : names) {
            var unused = requests.delete(path + "/" + name).whenComplete((done, error) -> deleted(name, error == null));
        }
    }

    private void deleted(String name, boolean succeeded) {
        mutex.lock();
        try {
            deleting.remove(name);
            if (!succeeded) {
                received.add(name);
            }
        } finally {
            mutex.unlock();
        }
    }
}
