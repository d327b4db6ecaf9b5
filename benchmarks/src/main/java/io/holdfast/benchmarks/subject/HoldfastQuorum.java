package io.holdfast.benchmarks.subject;

import io.holdfast.Holdfast;
import io.holdfast.recipes.QuorumLock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.Lock;

/** The quorum lock of Holdfast, with its defaults. */
final class HoldfastQuorum implements Subject {

    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(2);

    private final List<Holdfast> clients;

    HoldfastQuorum(List<String> uris, Duration lease) {
        clients = uris.stream()
                .map(uri -> HoldfastSubject.connect(uri, lease, COMMAND_TIMEOUT))
                .toList();
    }

    @Override
    public Lock lock(String name) {
        return QuorumLock.of(clients, name);
    }

    @Override
    public void close() {
        clients.forEach(Holdfast::close);
    }
}
