package io.holdfast.torture;

import io.holdfast.testkit.crowd.CrowdProcess;
import io.holdfast.testkit.faults.Wire;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/** The paths of worker processes to the server: each process has one of its own. */
final class Paths implements AutoCloseable {

    private final FaultyServer server;
    private final Map<String, Wire> wires = new ConcurrentHashMap<>();

    Paths(FaultyServer server) {
        this.server = server;
    }

    /** Opens a path, and returns the URI of the store at its end. */
    String open() {
        Wire wire = new Wire(server.port());
        String uri = server.uri(wire.port());
        wires.put(uri, wire);
        return uri;
    }

    Wire of(CrowdProcess process) {
        return Objects.requireNonNull(wires.get(process.uri()));
    }

    @Override
    public void close() {
        wires.values().forEach(Wire::close);
    }
}
