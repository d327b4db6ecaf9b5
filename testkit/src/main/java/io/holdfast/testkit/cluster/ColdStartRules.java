package io.holdfast.testkit.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.holdfast.Holdfast;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Processes that start at the same time share the processors while they load their classes. There are as many as
 * {@code holdfast.starts} says.
 */
public abstract class ColdStartRules {

    private static final int PROCESSES = Integer.getInteger("holdfast.starts", 6);
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private final String uri;

    /** Creates the rules for a store. */
    protected ColdStartRules(String uri) {
        this.uri = uri;
    }

    @Test
    void connectsProcessesThatStartAtOnce() throws Exception {
        List<Process> processes = new ArrayList<>();
        try {
            for (int number = 0; number < PROCESSES; number++) {
                processes.add(start());
            }
            List<Integer> statuses = new ArrayList<>();
            for (Process process : processes) {
                statuses.add(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS) ? process.exitValue() : null);
            }
            assertEquals(Collections.nCopies(PROCESSES, 0), statuses, "exit statuses");
        } finally {
            processes.forEach(Process::destroyForcibly);
        }
    }

    private Process start() throws IOException {
        return new ProcessBuilder(JavaCommand.of(Client.class, uri))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    /** A process that connects with the default options, and ends. */
    static final class Client {

        private Client() {}

        public static void main(String[] args) {
            Holdfast.connect(args[0]).close();
        }
    }
}
