package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.Permit;
import io.holdfast.embedded.redis.RedisServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** ls, show and release on a real server. */
@Tag("everywhere")
class LockCommandsTest {

    private static final String FORGED = "orders/1  lock  admin";
    private static final String HOSTILE = "-evil\r\n" + FORGED + "\u001b[2J\u009b\u202e ünï";
    private static final String DEFUSED = "-evil\\u000d\\u000a" + FORGED + "\\u001b[2J\\u009b\\u202e ünï";

    private static RedisServer server;
    private static Holdfast other;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final List<String> questions = new ArrayList<>();

    @BeforeAll
    static void connect() {
        server = RedisServer.start("--requirepass", "secret");
        other = Holdfast.builder()
                .uri(uri())
                .name("batch-7")
                .commandTimeout(Duration.ofSeconds(10))
                .build();
    }

    @AfterAll
    static void disconnect() {
        other.close();
        server.close();
    }

    @Test
    void lsShowsWhatIsHeldUnderThePrefix() throws Exception {
        try (Lease one = other.lock("ls/one").acquire();
                Lease two = other.lock("ls/two").acquire();
                Lease elsewhere = other.lock("other").acquire()) {
            runUntilTold(List.of(one, two), "ls", "ls/");
            assertThat(out.toString().lines()).hasSize(3);
            assertThat(out.toString())
                    .startsWith("NAME")
                    .contains(
                            "ls/one",
                            "ls/two",
                            "batch-7",
                            Long.toString(one.fencingToken()),
                            Long.toString(two.fencingToken()))
                    .doesNotContain(elsewhere.name() + " ");
        }
    }

    @Test
    void theHeadingsAreThoseOfTheDocumentation() throws IOException {
        assertThat(Files.readAllLines(Path.of("../docs/operations.md")).stream().map(line -> List.of(line.split(" +"))))
                .containsOnlyOnce(Table.HEADINGS);
    }

    @Test
    void jsonHasTokensAsTexts() throws Exception {
        try (Lease lease = other.lock("json").acquire()) {
            runUntilTold(List.of(lease), "ls", "json", "--json");
            assertThat(out.toString())
                    .startsWith("[")
                    .contains(
                            "\"kind\" : \"lock\"",
                            "\"name\" : \"json\"",
                            "\"token\" : \"" + lease.fencingToken() + "\"",
                            "\"name\" : \"batch-7\"");
        }
        assertThat(run("show", "json", "--json")).isZero();
        assertThat(out.toString()).contains("\"holders\" : [ ]", "\"waiters\" : [ ]");
    }

    @Test
    void showTellsHolderAndWaiters() throws Exception {
        try (Holdfast second = Holdfast.connect(uri());
                Lease lease = other.lock("shown").acquire()) {
            CompletableFuture<Lease> waiting = second.lock("shown").async().acquire();
            while (other.inspect("shown").waiters().isEmpty()) {
                Thread.onSpinWait();
            }
            runUntilTold(List.of(lease), "show", "shown");
            assertThat(out.toString())
                    .contains("batch-7", "token       " + lease.fencingToken(), "waiting     1", second.clientId());
            assertThat(waiting.cancel(false)).isTrue();
        }
    }

    @Test
    void readersAndWritersAreToldApart() throws Exception {
        DistributedReadWriteLock lock = other.readWriteLock("rw");
        try (Holdfast second = Holdfast.connect(uri());
                Lease one = lock.readLock().acquire();
                Lease two = second.readWriteLock("rw").readLock().acquire()) {
            assertThat(List.of(one, two)).allMatch(Lease::isValid);
            assertThat(run("ls", "rw")).isZero();
            assertThat(out.toString()).contains("rw    read lock  ", " and 1 more ");
            assertThat(run("show", "rw")).isZero();
            assertThat(out.toString()).contains("mode        read", "batch-7", second.clientId());
        }
        try (Lease writing = lock.writeLock().acquire()) {
            assertThat(writing.isValid()).isTrue();
            assertThat(run("ls", "rw")).isZero();
            assertThat(out.toString()).contains("rw    write lock  batch-7");
            assertThat(run("show", "rw", "--json")).isZero();
            assertThat(out.toString()).contains("\"mode\" : \"write\"");
        }
    }

    @Test
    void semaphoresAndLatchesAreShown() throws Exception {
        other.semaphore("counted").trySetPermits(5);
        other.countDownLatch("counted").trySetCount(3);
        try (Permit permit = other.semaphore("counted").acquire(2)) {
            assertThat(run("ls", "count")).isZero();
            assertThat(out.toString().lines().skip(1).map(line -> line.replaceAll(" +", " ")))
                    .containsExactlyInAnyOrder(
                            "counted semaphore 3 of 5 free, held by batch-7 - - 0",
                            "counted latch 3 to count down - - -");
            assertThat(run("show", "counted")).isZero();
            assertThat(out.toString())
                    .contains("semaphore   counted", "permits     3 of 5 free", "held by     batch-7 client ")
                    .contains(": 2, permit " + permit.id(), "latch       counted", "count       3 to count down")
                    .doesNotContain("lock   ");
            assertThat(run("ls", "count", "--json")).isZero();
            assertThat(out.toString())
                    .contains("\"kind\" : \"semaphore\"", "\"permits\" : 5", "\"free\" : 3", "\"waiting\" : 0")
                    .contains("\"permit\" : \"" + permit.id() + "\"", "\"kind\" : \"latch\"", "\"count\" : 3");
        }
        other.countDownLatch("counted").countDown(3);
        assertThat(run("show", "counted")).isZero();
        assertThat(out.toString()).contains("permits     5 of 5 free", "count       open");
        try (Lease lock = other.lock("counted").acquire()) {
            runUntilTold(List.of(lock), "show", "counted");
            assertThat(out.toString()).startsWith("lock        counted").contains("token       " + lock.fencingToken());
        }
        assertThat(other.semaphore("counted").delete()).isTrue();
        assertThat(other.countDownLatch("counted").delete()).isTrue();
    }

    @Test
    void aThreadIsShownWithWhatItDoesNow() throws Exception {
        other.lock("busy").lock();
        runUntilShown(shown -> shown.contains("call site "), "show", "busy");
        assertThat(out.toString()).containsPattern("\ncall site   now at \\S+");
        other.lock("busy").unlock();
        try (Lease lease = other.lock("busy").acquire()) {
            assertThat(lease.isValid()).isTrue();
            assertThat(run("show", "busy")).isZero();
            assertThat(out.toString()).doesNotContain("place");
        }
    }

    @Test
    void whatIsOnlyKeptIsSaidToBe() {
        DistributedLock lock = other.lock("kept", LockOptions.defaults().withLinger(Duration.ofSeconds(10)));
        lock.lock();
        lock.unlock();
        runUntilShown(shown -> shown.contains("(lingering)"), "ls", "kept");
        assertThat(out.toString()).contains("batch-7 (lingering)");
        runUntilShown(shown -> shown.contains("(lingering)"), "show", "kept");
        assertThat(out.toString()).contains("owner       no owner (lingering)");
        assertThat(lock.forceUnlock()).isTrue();
    }

    @Test
    void whatIsFreeIsSaidToBeFree() {
        assertThat(run("show", "free")).isZero();
        assertThat(out.toString()).contains("held by     - (free)");
        assertThat(run("release", "free", "--yes")).isEqualTo(1);
        assertThat(out.toString()).isEqualTo("lock 'free' is free; nothing was done\n");
    }

    @Test
    void namesThatATerminalWouldObeyAreDefused() throws Exception {
        other.semaphore(HOSTILE).setPermits(2);
        assertThat(other.countDownLatch(HOSTILE).trySetCount(1)).isTrue();
        try (Lease held = other.lock(HOSTILE).acquire()) {
            assertThat(held.isValid()).isTrue();
            for (String[] line :
                    List.of(new String[] {"ls", "--", "-evil"}, new String[] {"show", "--", HOSTILE}, new String[] {
                        "release", "--", HOSTILE
                    })) {
                run(line);
                assertThat(out + "" + err).contains(DEFUSED).doesNotContain("\r", "\u001b", "\u009b", "\u202e");
                assertThat((out + "" + err).lines()).noneMatch(shown -> shown.startsWith(FORGED));
            }
            run("ls", "--", "-evil");
            assertThat(out.toString().lines().skip(1)).hasSize(3).allMatch(line -> line.startsWith(DEFUSED));
            run("ls", "--json", "--", "-evil");
            assertThat(out.toString()).doesNotContain("\r", "\u001b", "\u009b", "\u202e");
            assertThat(JSON.std.listFrom(out.toString()))
                    .hasSize(3)
                    .allSatisfy(
                            shown -> assertThat(((Map<?, ?>) shown).get("name")).isEqualTo(HOSTILE));
        }
        assertThat(other.semaphore(HOSTILE).delete()).isTrue();
        assertThat(other.countDownLatch(HOSTILE).delete()).isTrue();
    }

    @Test
    void releaseAsksAndSaysWhoseItWas() throws Exception {
        Lease lease = other.lock("asked").acquire();

        assertThat(run(answering("n"), "release", "asked")).isEqualTo(1);
        assertThat(out.toString()).contains("is still held by batch-7");
        assertThat(lease.isValid()).isTrue();

        assertThat(run(answering("y"), "release", "asked")).isZero();
        assertThat(questions.get(1)).contains("'asked' is held by batch-7").contains("[y/N]");
        assertThat(out.toString()).contains("lock 'asked' is released; it was held by batch-7");
        assertThat(other.lock("asked").isLocked()).isFalse();
    }

    @Test
    void releaseDoesNotTakeItFromOneThatWasNotShown() throws Exception {
        Lease first = other.lock("moved").acquire();
        Function<String, Optional<String>> slowly = question -> {
            first.close();
            assertThat(other.lock("moved").tryAcquire()).isPresent();
            return Optional.of("y");
        };
        assertThat(run(slowly, "release", "moved")).isEqualTo(1);
        assertThat(out.toString()).contains("is now held by another owner");
        assertThat(other.lock("moved").forceUnlock()).isTrue();
    }

    @Test
    void releaseNeedsATerminalOrAYes() throws Exception {
        Lease lease = other.lock("unasked").acquire();

        assertThat(run(question -> Optional.empty(), "release", "unasked")).isEqualTo(2);
        assertThat(err.toString()).contains("give --yes").doesNotContain("secret");
        assertThat(lease.isValid()).isTrue();

        assertThat(run("release", "unasked", "--yes")).isZero();
        assertThat(other.lock("unasked").isLocked()).isFalse();
    }

    @Test
    void badNamesAndStoresAreWrongArguments() {
        assertThat(run("show", "")).isEqualTo(2);
        assertThat(err.toString()).contains("1 to 512 are allowed");
        assertThat(execute(question -> Optional.empty(), "ls", "--store", "redis://:wrong@127.0.0.1:" + server.port()))
                .isEqualTo(69);
        assertThat(err.toString()).contains("does not accept user and password").doesNotContain("wrong");
    }

    private Function<String, Optional<String>> answering(String answer) {
        return question -> {
            questions.add(question);
            return Optional.of(answer);
        };
    }

    private void runUntilTold(List<Lease> held, String... line) {
        runUntilShown(
                shown -> held.stream().allMatch(lease -> shown.contains(Long.toString(lease.fencingToken()))), line);
    }

    /** Runs the line until it shows what is expected: the clients of the holders are asked, and not waited for for long. */
    private void runUntilShown(Predicate<String> expected, String... line) {
        boolean shown = false;
        for (int i = 0; !shown && i < 100; i++) {
            assertThat(run(line)).isZero();
            shown = expected.test(out.toString());
        }
    }

    private int run(String... line) {
        return run(question -> Optional.empty(), line);
    }

    private int run(Function<String, Optional<String>> terminal, String... line) {
        List<String> args = new ArrayList<>(List.of(line));
        args.addAll(1, List.of("--store", uri()));
        return execute(terminal, args.toArray(String[]::new));
    }

    private int execute(Function<String, Optional<String>> terminal, String... args) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        CommandLine line =
                Main.commandLine(terminal).setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        return line.execute(args);
    }

    private static String uri() {
        return "redis://:secret@127.0.0.1:" + server.port();
    }
}
