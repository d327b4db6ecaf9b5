package io.holdfast.torture;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.Permit;
import io.holdfast.embedded.redis.RedisServer;
import io.holdfast.testkit.crowd.CrowdViolation;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(600)
class TortureTest {

    private static final int MOST_RUNS = 10;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        return Torture.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--store embedded:oracle                       | embedded:oracle: there are [embedded:redis, embedded:postgresql",
                "--store embedded:zookeeper --subject setnx    | a lock of Redis only",
                "--store jdbc:h2:mem:x --subject setnx         | a lock of Redis only",
                "--subject redlock                             | --subject redlock: holdfast or setnx",
                "--processes 0                                 | --processes 0: 1 to 64",
                "--threads 257                                 | --threads 257: 1 to 256",
                "--seconds 0                                   | --seconds 0: 1 to 3600",
                "--json /no/such/folder/file                   | cannot be written",
                "--seed x                                      | is not a long"
            })
    void refusesWrongArguments(String arguments, String text) {
        assertThat(run(arguments.split(" +"))).isEqualTo(2);
        assertThat(err.toString()).contains(text);
    }

    @Test
    void reportsNamesThatStayHeld() throws Exception {
        try (RedisServer server = RedisServer.start();
                Holdfast client = Holdfast.connect(server.uri());
                Lease lease = client.lock("n-kept").acquire()) {
            client.semaphore("n-permit").trySetPermits(2);
            Permit permit = client.semaphore("n-permit").acquire();
            assertThat(List.of(lease, permit)).allMatch(Lease::isValid);
            assertThat(Orphans.of(server.uri(), Duration.ofMillis(200)))
                    .extracting(CrowdViolation::toString)
                    .satisfiesExactly(
                            lock -> assertThat(lock).startsWith("ORPHAN: ").contains("n-kept"),
                            semaphore ->
                                    assertThat(semaphore).startsWith("ORPHAN: ").contains("n-permit"));
            permit.close();
        }
    }

    @Tag("night")
    @Test
    void findsNoViolationOfHoldfast(@TempDir Path folder) throws Exception {
        Path json = folder.resolve("result.json");
        assertThat(run("--seconds", "20", "--processes", "2", "--json", json.toString()))
                .as("%s%s", out, err)
                .isZero();
        Map<String, Object> result = JSON.std.mapFrom(Files.readString(json));
        assertThat((int) result.get("acquisitions")).isGreaterThan(100);
        assertThat((Map<?, ?>) result.get("faults")).isNotEmpty();
        assertThat((List<?>) result.get("violations")).isEmpty();
    }

    /**
     * With this seed, the first fault stops a process for more than two leases. If none of its threads holds the lock at that moment,
     * no lease ends too early, and the run is repeated.
     */
    @Tag("ci")
    @Test
    void findsTwoHoldersOfAHomeMadeLock(@TempDir Path folder) throws Exception {
        String[] arguments = {
            "--subject", "setnx", "--seconds", "5", "--seed", "88", "--json", folder.resolve("result.json") + ""
        };
        int code = 0;
        for (int runs = 0; code == 0 && runs < MOST_RUNS; runs++) {
            code = run(arguments);
        }
        assertThat(code).as("%s%s", out, err).isEqualTo(1);
        assertThat(out.toString()).contains("OVERLAP: n-setnx", "--seed 88");
        assertThat((List<?>) JSON.std
                        .mapFrom(Files.readString(folder.resolve("result.json")))
                        .get("violations"))
                .isNotEmpty();
    }
}
