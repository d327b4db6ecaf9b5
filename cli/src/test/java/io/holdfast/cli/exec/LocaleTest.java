package io.holdfast.cli.exec;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.embedded.redis.RedisServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names and arguments that are not ASCII, by the script {@code holdfast}, as cron, systemd or a terminal runs it. */
@Timeout(180)
class LocaleTest {

    @TempDir
    static Path root;

    private static RedisServer server;
    private static Holdfast other;

    @BeforeAll
    static void prepare() throws IOException {
        server = RedisServer.start();
        other = ExecFixture.connect(server.uri());
        Path checkout = Path.of("").toAbsolutePath();
        while (!Files.isExecutable(checkout.resolve("holdfast"))) {
            checkout = checkout.getParent();
        }
        Files.copy(checkout.resolve("holdfast"), root.resolve("holdfast"));
        Files.createDirectories(root.resolve("jdk/bin"));
        Files.writeString(root.resolve("jdk/release"), "JAVA_VERSION=\"17.0.1\"\n");
        executable("mvnw", "mkdir -p cli/target && echo jar >cli/target/holdfast-cli-all.jar");
        executable("jdk/bin/javac", "exit 1");
        executable("jdk/bin/java", """
                case "$*" in *-XX:ArchiveClassesAtExit=*) exit ;; esac
                while [ "$1" != -jar ]; do shift; done
                shift 2
                exec %s %s io.holdfast.cli.Main "$@"
                """.formatted(
                Path.of(System.getProperty("java.home"), "bin", "java"), String.join(" ", FastStart.options())));
    }

    private static void executable(String name, String script) throws IOException {
        Files.writeString(root.resolve(name), "#!/bin/sh\n" + script);
        assertThat(root.resolve(name).toFile().setExecutable(true)).isTrue();
    }

    @AfterAll
    static void end() {
        other.close();
        server.close();
    }

    /**
     * Returns what a script writes. The script has no environment except these settings. It is run again if a busy
     * host has kept holdfast from an answer in time.
     */
    private static String run(String settings, String script) throws Exception {
        Path file = Files.writeString(root.resolve("script"), script);
        Path output = root.resolve("output");
        String clean = "env -i PATH=\"$PATH\" HF=" + root.resolve("holdfast") + " JAVA_HOME=" + root.resolve("jdk")
                + " HOLDFAST_STORE=" + server.uri() + " " + settings + " sh " + file;
        ProcessBuilder builder =
                new ProcessBuilder("sh", "-c", clean).redirectErrorStream(true).redirectOutput(output.toFile());
        int code = Child.UNUSABLE;
        for (int i = 0; i <= Child.RESTARTS && code == Child.UNUSABLE; i++) {
            Process process = builder.start();
            assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
            code = process.exitValue();
        }
        return Files.readString(output, StandardCharsets.UTF_8).replaceFirst("(?s)^holdfast: building.*? s\n", "");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "LC_ALL=C", "LC_ALL=C.UTF-8"})
    void passesTheCommandWhatItWasGiven(String locale) throws Exception {
        String said = run(locale, """
                UML=grüß $HF exec --lock größe -- sh -c 'printf "%s\\n" "$1" "$HOLDFAST_LOCK" "$UML" "${LC_ALL-none}"' sh ä
                """);
        String callers = locale.startsWith("LC_ALL=") ? locale.substring("LC_ALL=".length()) : "none";
        assertThat(said.lines()).containsExactly("ä", "größe", "grüß", callers);
    }

    @Tag("ci")
    @Test
    void takesANameAsOtherClientsDo() throws Exception {
        try (Lease held = other.lock("größe").acquire(Duration.ZERO)) {
            String said = run("", """
                    $HF exec --lock größe --wait 0s -- true 2>/dev/null
                    code=$?
                    echo $code
                    [ $code = 75 ] || exit $code
                    $HF ls || exit
                    $HF show größe || exit
                    $HF release gräße --yes
                    """);
            assertThat(said).startsWith("75\n").contains("größe").doesNotContain("?");
            assertThat(held.isValid()).isTrue();
        }
    }

    @Test
    void refusesWhatIsNotUtf8() throws Exception {
        String said = run("", """
                $HF exec --lock "$(printf 'gr\\366')" -- echo run
                echo $?
                """);
        assertThat(said)
                .startsWith("holdfast: an argument is not UTF-8")
                .endsWith("\n2\n")
                .doesNotContain("run\n");
    }
}
