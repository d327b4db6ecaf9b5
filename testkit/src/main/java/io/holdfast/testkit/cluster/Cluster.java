package io.holdfast.testkit.cluster;

import io.holdfast.testkit.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Servers of which one leads, each a process, on ports of the loopback interface. */
public abstract class Cluster implements AutoCloseable {

    private final Path folder;
    private final int size;
    private final List<Integer> ports;
    private final Map<Integer, Process> processes = new TreeMap<>();

    /**
     * Creates a cluster, none of whose servers is started.
     *
     * @param folder a new folder, which is deleted at the end
     * @param portsPerServer the number of ports that each server needs; clients connect to the first one
     */
    protected Cluster(Path folder, int size, int portsPerServer) {
        this.folder = folder;
        this.size = size;
        ports = Ports.free(size * portsPerServer);
    }

    /** Returns the URI of a store there. */
    public abstract String uri(Duration session);

    /** Starts a server. */
    public abstract void start(int server);

    /** Returns {@code true} if a server leads. */
    protected abstract boolean leads(int server);

    /** Returns the number of servers. */
    public final int size() {
        return size;
    }

    /** Returns the port of a server for clients. */
    public final int port(int server) {
        return port(server, 0);
    }

    /**
     * Returns one of the ports of a server.
     *
     * @param number the number of the port, from 0 on
     */
    protected final int port(int server, int number) {
        return ports.get(number * size + server);
    }

    /** Returns the addresses of all servers for clients. */
    public final String servers() {
        return IntStream.range(0, size).mapToObj(i -> "127.0.0.1:" + port(i)).collect(Collectors.joining(","));
    }

    /** Returns the folder of a server. */
    protected final Path home(int server) {
        return folder.resolve("server" + server);
    }

    /** Starts the process of a server. */
    protected final void start(int server, List<String> command) {
        try {
            processes.put(
                    server,
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(
                                    ProcessBuilder.Redirect.appendTo(log(server).toFile()))
                            .start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path log(int server) {
        return folder.resolve("log" + server);
    }

    /** Returns what the servers have printed. */
    protected final String log() {
        return IntStream.range(0, size)
                .mapToObj(server -> "server " + server + ": " + printed(server))
                .collect(Collectors.joining("\n"));
    }

    private String printed(int server) {
        try {
            return Files.readString(log(server));
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** Returns the server that leads. */
    public final int leader() {
        return findLeader().orElseThrow();
    }

    private OptionalInt findLeader() {
        return IntStream.range(0, size).filter(this::leads).findFirst();
    }

    /** Waits until a server leads. */
    public final void awaitLeader() {
        Await.until("a server leads", () -> findLeader().isPresent());
    }

    // ---- faults

    /** Stops a server, which keeps its connections. */
    public final void pause(int server) {
        Signals.stop(process(server).pid());
    }

    /** Ends {@link #pause}. */
    public final void resume(int server) {
        Signals.resume(process(server).pid());
    }

    /** Kills a server. */
    public final void kill(int server) {
        Signals.kill(process(server).pid());
        process(server).onExit().join();
    }

    private Process process(int server) {
        Process process = processes.get(server);
        if (process == null) {
            throw new IllegalStateException("server " + server + " was not started");
        }
        return process;
    }

    /** Kills all servers, and deletes what they have written. */
    @Override
    public void close() {
        processes.values().forEach(Process::destroyForcibly);
        processes.values().forEach(each -> each.onExit().join());
        try {
            delete(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Deletes a folder and all that is in it. */
    protected static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
