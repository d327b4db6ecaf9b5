package io.holdfast.redis;

import io.holdfast.DistributedSemaphore;
import io.holdfast.Holdfast;
import io.holdfast.LockOptions;
import io.holdfast.testkit.cluster.JavaCommand;
import java.io.IOException;
import java.time.Duration;

/** A process with a client that holds permits of a semaphore, or waits for some, or waits for a latch. */
final class CountingProcess implements AutoCloseable {

    private final Process process;

    /** @param what {@code hold}, {@code wait}, or {@code await} */
    CountingProcess(String uri, String what, String name) throws IOException {
        process = new ProcessBuilder(JavaCommand.of(CountingProcess.class, uri, what, name))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    void kill() {
        process.destroyForcibly();
    }

    void signal(String name) throws IOException, InterruptedException {
        int code = new ProcessBuilder("kill", "-s", name, Long.toString(process.pid()))
                .start()
                .waitFor();
        if (code != 0) {
            throw new IOException("kill -s " + name + ": exit code " + code);
        }
    }

    /** Its exit code, when it has ended. */
    int end() throws InterruptedException {
        return process.waitFor();
    }

    @Override
    public void close() {
        kill();
    }

    /** Connects a JVM that has just been started, which may need more than the defaults on a busy machine. */
    static Holdfast patient(String uri) {
        return Holdfast.builder()
                .uri(uri)
                .connectTimeout(Duration.ofMinutes(1))
                .commandTimeout(Duration.ofSeconds(20))
                .build();
    }

    /** Ends when its input does; or when the latch is open. */
    public static void main(String[] args) throws Exception {
        try (Holdfast client = patient(args[0])) {
            // short for what is kept by one that is killed, and long beside a claim window for one that is served
            Duration lease = Duration.ofSeconds(args[1].equals("hold") ? 3 : 30);
            DistributedSemaphore semaphore =
                    client.fairSemaphore(args[2], LockOptions.defaults().withLease(lease));
            switch (args[1]) {
                case "hold" -> semaphore.async().acquire(2).join();
                case "wait" -> {
                    var unused = semaphore.async().acquire(1);
                }
                default -> {
                    client.countDownLatch(args[2]).await();
                    return;
                }
            }
            var unused = System.in.read();
        }
    }
}
