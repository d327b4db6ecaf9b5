package io.holdfast.testkit.cluster;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.StoreClient;
import java.io.IOException;
import java.time.Duration;

/** A process that holds a lock until it is killed, or until the process that has started it ends. */
public final class HoldingProcess {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private HoldingProcess() {}

    /** Starts a process that acquires a lock. */
    public static Process start(String uri, String name) throws IOException {
        return started(uri, name);
    }

    /** Starts a process that runs nothing under a lock, once, and keeps the lock for the given time. */
    public static Process start(String uri, String name, Duration minHold) throws IOException {
        return started(uri, name, minHold.toString());
    }

    /** Kills a process when the client sees that the name is held. The process is killed in any case. */
    public static void killWhenHeld(Process process, StoreClient client, String name) {
        try {
            Await.until(
                    "it is held",
                    () -> Await.reply(client.store().inspect(name)).holder().isPresent());
        } finally {
            process.destroyForcibly();
        }
    }

    private static Process started(String... arguments) throws IOException {
        return new ProcessBuilder(JavaCommand.of(HoldingProcess.class, arguments))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    /** Acquires a lock, and waits until the standard input ends: {@code URI NAME [MIN-HOLD]}. */
    public static void main(String[] args) throws IOException {
        DistributedLock lock =
                Holdfast.builder().uri(args[0]).connectTimeout(PATIENCE).build().lock(args[1]);
        if (args.length > 2) {
            lock.runOnce(Duration.parse(args[2]), () -> {});
        } else {
            lock.lock();
        }
        int end = System.in.read();
        Runtime.getRuntime().halt(end);
    }
}
