package io.holdfast.zookeeper.connection;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

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
    private final Consumer<String> receiver;
    private final ReentrantLock mutex = new ReentrantLock();

    /** The names that were received and may still exist. Guarded by the mutex. */
    private final Set<String> received = new HashSet<>();

    /** Creates an inbox. The receiver gets the text of each message, and does not block. */
    Inbox(Requests requests, String path, Consumer<String> receiver) {
        this.requests = requests;
        this.path = path;
        this.receiver = receiver;
    }

    boolean contains(String node) {
        return node.startsWith(path + "/");
    }

    /** Receives a message, unless it was received before. */
    void created(String node) {
        String name = node.substring(path.length() + 1);
        boolean many;
        mutex.lock();
        try {
            if (!received.add(name)) {
                return;
            }
            many = received.size() >= MANY;
        } finally {
            mutex.unlock();
        }
        receiver.accept(Paths.message(node));
        if (many) {
            clear();
        }
    }

    /** Receives all messages that have arrived without an event, in the order of their numbers. */
    CompletionStage<Void> list() {
        return requests.children(path)
                .thenAccept(names -> names.stream()
                        .sorted(Comparator.comparing(name -> name.substring(name.lastIndexOf('-') + 1)))
                        .forEach(name -> created(path + "/" + name)));
    }

    /** Deletes the messages that were received. */
    void clear() {
        List<String> names;
        mutex.lock();
        try {
            names = new ArrayList<>(received);
        } finally {
            mutex.unlock();
        }
        for (String name : names) {
            var unused = requests.delete(path + "/" + name).thenAccept(done -> forget(name));
        }
    }

    private void forget(String name) {
        mutex.lock();
        try {
            received.remove(name);
        } finally {
            mutex.unlock();
        }
    }
}
