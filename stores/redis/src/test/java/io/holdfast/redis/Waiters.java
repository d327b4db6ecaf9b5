package io.holdfast.redis;

import io.holdfast.Holdfast;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.cluster.JavaCommand;
import java.io.IOException;

/** A process with a client in which many wait for one fair lock. */
final class Waiters implements AutoCloseable {

    private final Process process;

    /** Starts it, and waits until all of them are in line. */
    Waiters(Holdfast witness, String uri, String lock, int count) throws IOException {
        int before = witness.inspect(lock).waiters().size();
        process = new ProcessBuilder(JavaCommand.of(Waiters.class, uri, lock, Integer.toString(count)))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        Await.until(count + " wait", () -> witness.inspect(lock).waiters().size() == before + count);
    }

    void signal(String name) throws IOException, InterruptedException {
        int code = new ProcessBuilder("kill", "-s", name, Long.toString(process.pid()))
                .start()
                .waitFor();
        if (code != 0) {
            throw new IOException("kill -s " + name + ": exit code " + code);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    /** Waits for a lock that it does not get, until its input ends. */
    public static void main(String[] args) throws IOException {
        try (Holdfast client = CountingProcess.patient(args[0])) {
            for (int i = 0; i < Integer.parseInt(args[2]); i++) {
                var unused = client.fairLock(args[1]).async().acquire();
            }
            var unused = System.in.read();
        }
    }
}
