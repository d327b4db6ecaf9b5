package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Safety;
import io.holdfast.testkit.check.HistoryChecker;
import io.holdfast.testkit.cluster.JavaCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A process with one client and a few threads that contend with those of others. */
final class CrowdProcess implements AutoCloseable {

    private static final Duration LOOK = Duration.ofMillis(20);

    private final int threads;
    private final Process process;
    private final Thread reader;
    private final List<String> turns = new CopyOnWriteArrayList<>();
    private volatile List<Long> served;

    CrowdProcess(String uri, Duration lease, int threads, Safety safety) {
        this.threads = threads;
        served = Collections.nCopies(threads, 0L);
        try {
            process = new ProcessBuilder(JavaCommand.of(
                            CrowdProcess.class, uri, "" + lease.toMillis(), "" + threads, "" + safety.replicas()))
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        reader = new Thread(this::read, "reader of " + process.pid());
        reader.start();
    }

    private void read() {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith("served ")) {
                    served = Stream.of(line.split(" "))
                            .skip(1)
                            .map(Long::valueOf)
                            .toList();
                } else {
                    turns.add(line);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** How often each of its threads was served. */
    List<Long> served() {
        return served;
    }

    /** Ends it, and tells of its turns; how many there were. */
    int end(HistoryChecker history) throws IOException, InterruptedException {
        process.getOutputStream().close();
        assertThat(process.waitFor()).as("exit code of %s", process).isZero();
        reader.join();
        turns.forEach(turn -> Turn.report("" + process.pid(), turn, history));
        assertThat(served).hasSize(threads).allMatch(count -> count > 0);
        return turns.size();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    /** Works until its input ends, says how often each thread was served meanwhile, and then what turns there were. */
    public static void main(String[] args) throws IOException, InterruptedException {
        Duration lease = Duration.ofMillis(Long.parseLong(args[1]));
        Safety safety = new Safety(Integer.parseInt(args[3]), false);
        String bystander = "bystander-" + ProcessHandle.current().pid();
        try (Crowd crowd = Crowd.ofOne(args[0], lease, Integer.parseInt(args[2]), bystander, safety)) {
            AtomicBoolean over = new AtomicBoolean();
            Thread teller = new Thread(
                    () -> {
                        while (!over.get()) {
                            tell(crowd.served());
                            crowd.work(LOOK);
                        }
                    },
                    "teller");
            teller.start();
            var end = System.in.read();
            assertThat(end).as("what comes is an end").isNegative();
            over.set(true);
            teller.join();
            crowd.stop();
            crowd.turns().forEach(turn -> System.out.println(turn.line()));
            crowd.assertErrorsWereForeseen();
        }
    }

    private static void tell(List<Long> served) {
        System.out.println(served.stream().map(String::valueOf).collect(Collectors.joining(" ", "served ", "")));
    }
}
