package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The script {@code holdfast}, with a Maven and a Java that only write down that they were called. */
@Timeout(180)
class LauncherTest {

    private static final String MAVEN = """
            #!/bin/sh
            case " $* " in
                *" benchmarks "*) echo 'build of benchmarks' >>log; mkdir -p benchmarks/target/lib ;;
                *" examples/flash-sale-web "*) echo 'build of the shop' >>log; mkdir -p examples/flash-sale-web/target/lib ;;
                *) echo build >>log; sleep 0.2; mkdir -p cli/target && echo jar >cli/target/holdfast-cli-all.jar ;;
            esac
            """;

    private static final String JAVA = """
            #!/bin/sh
            for argument; do
                case $argument in
                    -XX:ArchiveClassesAtExit=*)
                        if [ -e breaks ]; then echo half >"${argument#*=}"; echo 'disk full' >&2; exit 3; fi
                        echo rehearsal >>log
                        [ -e archiveless ] || echo classes >"${argument#*=}" ;;
                    -XX:SharedArchiveFile=*) archive=${argument#*=} ;;
                    io.holdfast.benchmarks.Bench) echo "measured with $*" ;;
                    io.holdfast.examples.web.demo.WebDemo) echo "sold with $*" ;;
                esac
            done
            [ -z "$archive" ] || echo "ran with $(cat "$archive")"
            """;

    private static final List<String> TOOLS = List.of(
            "bash",
            "cat",
            "cksum",
            "cp",
            "dirname",
            "find",
            "head",
            "ln",
            "mkdir",
            "mv",
            "readlink",
            "rm",
            "sed",
            "sh",
            "sleep",
            "tail",
            "touch");

    @TempDir
    Path root;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void fiveFirstUsesAtOnceBuildOnce(boolean flock) throws Exception {
        prepare();
        List<Process> uses = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            uses.add(use(flock));
        }
        for (Process use : uses) {
            assertThat(outputOf(use)).isEqualTo("ran with classes\n");
        }
        assertThat(log()).containsExactly("build", "rehearsal");
    }

    @Test
    void anotherJavaMakesItsOwnArchiveWithoutABuild() throws Exception {
        prepare();
        assertThat(outputOf(use(true))).isEqualTo("ran with classes\n");
        Files.writeString(root.resolve("jdk/release"), "JAVA_VERSION=\"25.0.1\"\n");
        assertThat(outputOf(use(true))).isEqualTo("ran with classes\n");
        assertThat(log()).containsExactly("build", "rehearsal", "rehearsal");
    }

    @Test
    void anArchiveThatFailedIsMadeAgain() throws Exception {
        prepare();
        Files.createFile(root.resolve("breaks"));
        assertThat(outputOf(use(true))).isEmpty();
        assertThat(errors())
                .contains("no archive of classes")
                .contains("disk full")
                .contains("tries again");

        Files.delete(root.resolve("breaks"));

        assertThat(outputOf(use(true))).isEqualTo("ran with classes\n");
        assertThat(log()).containsExactly("build", "rehearsal");
    }

    @Test
    void aJavaThatMakesNoArchiveIsAskedOnce() throws Exception {
        prepare();
        Files.createFile(root.resolve("archiveless"));
        assertThat(outputOf(use(true))).isEmpty();
        assertThat(outputOf(use(true))).isEmpty();
        assertThat(log()).containsExactly("build", "rehearsal");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ls", "bench"})
    void aPathWithAColonIsRefusedBeforeABuild(String command) throws Exception {
        root = Files.createDirectory(root.resolve("12:30"));
        prepare();

        Process use = use(true, command);

        assertThat(use.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(use.exitValue()).isEqualTo(70);
        assertThat(errors())
                .startsWith("holdfast: Java cannot run from the folder " + root.toRealPath())
                .contains("colon");
        assertThat(root.resolve(".holdfast")).doesNotExist();
    }

    @Test
    void whatMeasuresIsBuiltApartAndAgainWhenItIsGone() throws Exception {
        prepare();
        for (int time = 0; time < 2; time++) {
            assertThat(outputOf(use(true, "bench", "--quick")))
                    .startsWith("measured with -cp ")
                    .endsWith("io.holdfast.benchmarks.Bench --quick\n");
        }
        assertThat(log()).containsExactly("build of benchmarks");
        Files.delete(root.resolve("benchmarks/target/lib"));
        outputOf(use(true, "bench"));
        assertThat(log()).containsExactly("build of benchmarks", "build of benchmarks");
    }

    @Test
    void theShopIsBuiltApartAndAgainWhenItOrTheStarterIsNewer() throws Exception {
        prepare();
        Path starter = Files.createDirectories(root.resolve("spring/starter/src/main"));
        for (int time = 0; time < 2; time++) {
            assertThat(outputOf(use(true, "demo", "--postgres", "--web")))
                    .startsWith("sold with ")
                    .endsWith("io.holdfast.examples.web.demo.WebDemo --postgres --web\n");
        }
        assertThat(log()).containsExactly("build of the shop");
        Files.setLastModifiedTime(starter, FileTime.from(Instant.now().plusSeconds(2)));
        outputOf(use(true, "demo", "--web"));
        assertThat(log()).containsExactly("build of the shop", "build of the shop");
    }

    private void prepare() throws IOException {
        Path checkout = Path.of("").toAbsolutePath();
        while (!Files.isExecutable(checkout.resolve("holdfast"))) {
            checkout = checkout.getParent();
        }
        Files.copy(checkout.resolve("holdfast"), root.resolve("holdfast"));
        Files.createDirectories(root.resolve("jdk/bin"));
        Files.writeString(root.resolve("jdk/release"), "JAVA_VERSION=\"17.0.1\"\n");
        executable("mvnw", MAVEN);
        executable("jdk/bin/java", JAVA);
        executable("jdk/bin/javac", MAVEN);
        Files.createDirectory(root.resolve("tools"));
        for (String tool : TOOLS) {
            executable("tools/" + tool, "#!/bin/sh\nexec " + onPath(tool) + " \"$@\"\n");
        }
    }

    private void executable(String name, String script) throws IOException {
        Files.writeString(root.resolve(name), script);
        assertThat(root.resolve(name).toFile().setExecutable(true)).isTrue();
    }

    private static Path onPath(String tool) {
        for (String folder : System.getenv("PATH").split(":", -1)) {
            if (Files.isExecutable(Path.of(folder, tool))) {
                return Path.of(folder, tool);
            }
        }
        throw new AssertionError("there is no " + tool);
    }

    private Process use(boolean flock, String... arguments) throws IOException {
        String tools = root.resolve("tools").toString();
        List<String> command =
                new ArrayList<>(List.of("bash", root.resolve("holdfast").toString()));
        command.addAll(arguments.length == 0 ? List.of("ls") : List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(root.toFile())
                .redirectError(root.resolve("errors").toFile());
        builder.environment().put("JAVA_HOME", root.resolve("jdk").toString());
        builder.environment().put("PATH", flock ? tools + ":" + System.getenv("PATH") : tools);
        return builder.start();
    }

    private static String outputOf(Process use) throws Exception {
        assertThat(use.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(use.exitValue()).isZero();
        return new String(use.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    private String errors() throws IOException {
        return Files.readString(root.resolve("errors"));
    }

    private List<String> log() throws IOException {
        return Files.readAllLines(root.resolve("log"));
    }
}
