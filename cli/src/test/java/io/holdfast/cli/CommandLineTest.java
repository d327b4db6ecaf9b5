package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.examples.flashsale.StrategyKind;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

@Tag("everywhere")
class CommandLineTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final CommandLine holdfast =
            Main.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "|no command given",
                "dmeo|dmeo",
                "demo --no-such-option|--no-such-option",
                "demo surplus|surplus",
                "demo --processes 1|--processes 1: must be 2 to 64",
                "demo --processes many|many",
                "demo --threads 0|--threads 0: must be 1 to 256",
                "demo --stock 99|--stock 99: must be 100 to 100000",
                "demo --work soon|'soon' is not a time like 500us, 2ms, 10s or 5m",
                "demo --work 11s|--work: at most 10s",
                "demo --strategies none,luck|there is no strategy 'luck', only none, decrement, setnx, setnx-ttl, setnx-owner, lock",
                "demo --strategies none,none|name each only once",
                "demo --store memory:|--store memory:: keeps its locks in one JVM",
                "demo --store memory:shop|--store memory:shop: keeps its locks in one JVM",
                "demo --store jdbc:h2:mem:shop|--store jdbc:h2:mem:shop: keeps its locks in one JVM",
                "demo --store nosuch:shop|no store for the scheme 'nosuch'",
                "demo --store redis://|not a Redis URI: 'redis://'",
                "demo --store jdbc:h2:shop --strategies none,setnx|--strategies setnx: needs a Redis store, because it keeps keys",
                "demo --store jdbc:h2:shop --strategies allotment|only these can run: none, decrement, lock, segmented",
                "demo --store redis://host:port|not a Redis URI: 'redis://host:***'; the form is",
                "demo --json /no/such/folder/out.json|--json /no/such/folder/out.json: cannot be written",
                "demo --html /no/such/folder/out.html|--html /no/such/folder/out.html: cannot be written",
                "demo --json|--json",
                "exec --store redis://h -- true|Missing required option: '--lock=NAME'",
                "exec --lock a --store redis://h|Missing required parameter: 'COMMAND'",
                "exec --lock a -- true|no store: give --store redis://host, or set HOLDFAST_STORE",
                "exec --lock a --store memory: -- true|--store memory:: excludes nobody",
                "exec --lock a --store embedded:redis -- true|--store embedded:redis: excludes nobody",
                "exec --lock a --store jdbc:h2:mem:shop;PASSWORD=secret -- true|--store jdbc:h2:mem:shop;***: excludes nobody",
                "exec --lock a --store redis://h --lease 2999ms -- true|--lease 2999ms: must be 3s to 365 days",
                "exec --lock a --store redis://h --lease 3s --grace 3s -- true|less than the lease, 3000ms",
                "exec --lock a --store redis://h --wait -1s -- true|'-1s' is not a time",
                "exec --lock a --store http://u:secret@h -- true|no store for the scheme 'http'",
                "ls --store redis://h --jsn|--jsn",
                "show --store redis://h|Missing required parameter: 'NAME'",
                "release a|no store: give --store"
            })
    void wrongArgumentsGetOneLineAndExitCode2(String line, String text) {
        assertThat(run(line)).isEqualTo(2);
        assertThat(err.toString()).contains(text).endsWith("--help" + System.lineSeparator());
        assertThat(err.toString().lines()).hasSize(1);
        assertThat(out.toString()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"--version", "-V"})
    void itSaysWhichVersionItIs(String line) {
        assertThat(run(line)).isZero();
        assertThat(out.toString()).startsWith("holdfast ").contains("Java " + Runtime.version());
    }

    @ParameterizedTest
    @ValueSource(strings = {"--help", "-h", "demo --help", "ls --help", "show --help", "release --help"})
    void helpGoesToStandardOutput(String line) {
        assertThat(run(line)).isEqualTo(0);
        assertThat(out.toString()).startsWith("Usage: holdfast");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void helpOfExecIsAManualPage() {
        assertThat(run("exec --help")).isEqualTo(0);
        assertThat(out.toString())
                .startsWith("NAME")
                .contains("SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "ENVIRONMENT", "EXAMPLES", "NOTES")
                .contains("--lock", "--store", "--wait", "--lease", "--grace", "0 3 * * *");
        assertThat(out.toString().lines()).allMatch(line -> line.startsWith(" ") || line.matches("[A-Z ]*"));
    }

    @Test
    void helpNamesEveryOptionOfTheDemo() {
        run("demo --help");
        assertThat(out.toString())
                .contains(
                        "--processes", "--threads", "--stock", "--work", "--store", "--strategies", "--json", "--html");
    }

    @Test
    void helpNamesEveryStrategyOfTheDemo() {
        run("demo --help");
        for (StrategyKind strategy : StrategyKind.values()) {
            assertThat(out.toString()).containsPattern("[ ,]" + strategy.label() + "[,.]");
        }
    }

    @Test
    void helpNamesEachCommandOnce() {
        run("--help");
        for (String command : List.of("demo", "ls", "show", "exec", "release")) {
            assertThat(out.toString()).containsOnlyOnce(" " + command + " ");
        }
    }

    @Test
    void aStoreThatCannotBeReachedHasAnExitCodeOfItsOwn() {
        assertThat(run("demo --store redis://user:secret@127.0.0.1:1")).isEqualTo(69);
        assertThat(err.toString()).contains("nothing listens there").doesNotContain("secret");
        assertThat(err.toString().lines()).hasSize(1);
        assertThat(out.toString()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "demo --store nosuch://user:secret@host",
                "ls --stor redis://user:secret@host",
                "ls --stor=redis://user:secret@host",
                "ls --store=redis://user:top?secret@host",
                "ls redis://user:secret@host",
                "show a redis://user:secret@host",
                "exec --lock a --sotre redis://:secret@host -- true",
                "exec --lock a --store jdbc:h2:mem:secret;secret@host -- true",
                "demo --strategies setnx --store nosuch://user:secret@host",
                "demo --strategies setnx --store jdbc:nosuch://host/shop?user=me&password=secret",
                "demo --store jdbc:h2:mem:shop;PASSWORD=secret",
                "exec --lock a --store jdbc:h2:mem:shop;PASSWORD=secret -- true"
            })
    void passwordsAreNotShown(String line) {
        assertThat(run(line)).isEqualTo(2);
        assertThat(err.toString()).isNotEmpty().doesNotContain("secret");
    }

    private int run(String line) {
        return holdfast.execute(line == null ? new String[0] : line.split(" ", -1));
    }
}
